// SPDX-License-Identifier: Apache-2.0
package bench;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// How long programs take to answer for the first time, and how much memory they hold at rest.
final class Starts {
    private static final int REST_SECONDS = 30;
    private static final int ROUNDS = 7;

    private final Path dist;
    private final Path folder;

    Starts(Path dist, Path folder) {
        this.dist = dist;
        this.folder = folder;
    }

    void pipectl(Report report) throws Exception {
        var times = new double[ROUNDS];
        for (var round = 0; round < ROUNDS; round++) {
            var began = System.nanoTime();
            new ProcessBuilder(dist.resolve("bin/pipectl").toString(), "--help")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            times[round] = since(began);
        }
        report.time("`pipectl --help`", times, "≤ 250 ms", 8.5);
    }

    /// On the data the first quickstart left, as an ordinary restart.
    void server(Report report) throws Exception {
        var data = folder.resolve("quickstart");
        var times = new double[ROUNDS];
        for (var round = 0; round < ROUNDS; round++) {
            var port = Running.freePort();
            var began = System.nanoTime();
            var process = new ProcessBuilder(server(data, port)).redirectErrorStream(true).redirectOutput(folder.resolve("server.out").toFile()).start();
            try {
                while (!answers(URI.create("http://127.0.0.1:" + port + "/"))) {
                    if (!process.isAlive()) throw new IOException(Files.readString(folder.resolve("server.out")));
                    Thread.sleep(2);
                }
                times[round] = since(began);
            } finally {
                process.destroy();
                process.waitFor();
            }
        }
        report.time("Server, start to first answer", times, "≤ 1.5 s", 88);
    }

    /// What was done before it is over: the compilers have given back what they used.
    void memory(Running running, Report report) throws Exception {
        TimeUnit.SECONDS.sleep(REST_SECONDS);
        var agent = running.pid("agent");
        report.memory("Server, resident at rest", resident(running.pid("server")), "≤ 200 MB", 54);
        report.memory("Agent, resident at rest", resident(agent), "≤ 150 MB", 38);
        var host = pluginHost(ProcessHandle.of(agent).orElseThrow());
        // Three plugin processes of the public system do what one host does here.
        report.memory("Plugin host, resident at rest", resident(host.pid()), "≤ 150 MB", 75);
    }

    static ProcessHandle pluginHost(ProcessHandle agent) {
        return agent.descendants()
                .filter(process -> process.info().arguments().map(List::of).orElse(List.of()).contains("dev.pipecd.plugins.StagesHost"))
                .findFirst()
                .orElseThrow();
    }

    private List<String> server(Path data, int port) {
        return List.of(
                dist.resolve("bin/pipecd").toString(), "server",
                "--config-file=" + data.resolve("control-plane.yaml"),
                "--encryption-key-file=" + data.resolve("encryption-key"),
                "--host=127.0.0.1", "--gateway-port=" + port, "--admin-port=0",
                "--piped-api-port=-1", "--web-api-port=-1", "--http-port=-1", "--api-port=-1", "--envoy-authz-port=-1");
    }

    static boolean answers(URI uri) {
        try {
            return ((HttpURLConnection) uri.toURL().openConnection()).getResponseCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static long resident(long pid) throws IOException {
        return resident(pid, "VmRSS");
    }

    static long resident(long pid, String field) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    static double since(long nanos) {
        return (System.nanoTime() - nanos) / 1e6;
    }
}
