// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins;

import dev.pipecd.plugin.testkit.FakeAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A real plugin host in a process of its own.
public final class HostProcess implements AutoCloseable {
    public static final String TOKEN = "test-token";

    private final Process process;
    private final Path log;

    private HostProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /// Serves all three plugins on ports the system chooses.
    public static HostProcess start(FakeAgent agent, Path home) throws IOException {
        agent.heard().forgetPorts();
        return start(home, arguments(agent, home).toArray(String[]::new));
    }

    public static List<String> arguments(FakeAgent agent, Path home) throws IOException {
        return List.of(
                "host", "--piped-plugin-service", agent.address(), "--config-file=" + config(home));
    }

    public static Path config(Path home) throws IOException {
        var file = home.resolve("plugins.json");
        var state = home.resolve("state");
        Files.writeString(
                file,
                """
                {"token": "%s", "stateDirectory": "%s", "plugins": [
                  {"name": "wait", "builtin": "wait", "port": 0},
                  {"name": "waitapproval", "builtin": "waitapproval", "port": 0},
                  {"name": "scriptrun", "builtin": "scriptrun", "port": 0}]}
                """
                        .formatted(TOKEN, state));
        return file;
    }

    public static HostProcess start(Path home, String... args) throws IOException {
        return start(HostCommand.get(), home, List.of(args));
    }

    static HostProcess start(List<String> java, Path home, List<String> args) throws IOException {
        var command = new ArrayList<>(java);
        command.addAll(args);
        var log = home.resolve("host.log");
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        return new HostProcess(process, log);
    }

    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    public void terminate() throws InterruptedException {
        process.destroy();
        awaitExit();
    }

    public int awaitExit() throws InterruptedException {
        if (!process.waitFor(5, TimeUnit.MINUTES))
            throw new IllegalStateException("the host does not end: " + told());
        return process.exitValue();
    }

    public String told() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
