// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// `pipecd ops` as a process of its own, beside servers of the same configuration.
final class OpsProcess implements AutoCloseable {
    private static final Pattern LISTENS =
            Pattern.compile("(?m)^(\\w+) listens on [\\d.]+:(\\d+)\\s");

    private final Path log;
    private final Process process;

    OpsProcess(Path folder) throws IOException {
        log = folder.resolve("ops.log");
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Pipecd.class.getName(),
                                "ops",
                                "--config-file=" + folder.resolve("control-plane.yaml"),
                                "--data-dir=" + folder.resolve("ops"),
                                "--log-level=debug",
                                "--host=127.0.0.1",
                                "--insecure-cookie=true",
                                "--http-port=0",
                                "--admin-port=0")
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
    }

    /// `HTTP` and `admin`, once both are open.
    Map<String, Integer> ports() {
        return await("ops, see " + log)
                .atMost(Duration.ofMinutes(5))
                .failFast(() -> !process.isAlive())
                .until(this::listening, found -> found.size() == 2);
    }

    private Map<String, Integer> listening() {
        var found = new LinkedHashMap<String, Integer>();
        var told = LISTENS.matcher(log());
        while (told.find()) found.put(told.group(1), Integer.parseInt(told.group(2)));
        return found;
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /// SIGTERM, and its exit code.
    int terminate() throws InterruptedException {
        process.destroy();
        return process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
