// SPDX-License-Identifier: Apache-2.0
package bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A generated repository with many applications, pushed to as a Git server would tell it.
record Monorepo(Path folder, int applications) {
    static final String ID = "mono";
    private static final int IN_A_TEAM = 100;

    /// One commit with all of them: an application file and a manifest each.
    static Monorepo generate(Path folder, int applications, String pipeline) throws Exception {
        run(List.of("git", "init", "--quiet", "--bare", "--initial-branch=main", folder.toString()));
        var repository = new Monorepo(folder, applications);
        repository.commit("Generate", out -> {
            for (var number = 0; number < applications; number++) {
                file(out, path(number) + "/app.pipecd.yaml", pipeline.formatted(number));
                file(out, path(number) + "/deployment.yaml", "replicas: 1 # of application %d\n".formatted(number));
            }
        });
        return repository;
    }

    static String path(int number) {
        return "teams/team-%03d/app-%05d".formatted(number / IN_A_TEAM, number);
    }

    String head() throws Exception {
        return run(git("rev-parse", "main")).strip();
    }

    /// Changes one file of one application.
    void touch(int number, String content) throws Exception {
        commit("Change application " + number, out -> file(out, path(number) + "/deployment.yaml", content));
    }

    void touchFirst(int count, String content) throws Exception {
        commit("Change %d applications".formatted(count), out -> {
            for (var number = 0; number < count; number++) file(out, path(number) + "/deployment.yaml", content + number);
        });
    }

    /// Gives some another application file.
    void configure(int first, int count, String pipeline) throws Exception {
        commit("Configure %d applications".formatted(count), out -> {
            for (var number = first; number < first + count; number++) file(out, path(number) + "/app.pipecd.yaml", pipeline.formatted(number));
        });
    }

    /// Tells the control plane as GitLab does.
    void tell(URI server, String secret) throws Exception {
        var body = """
                {"object_kind": "push", "ref": "refs/heads/main", "project": {"git_http_url": "%1$s", "git_ssh_url": "%1$s", "url": "%1$s"}}"""
                .formatted(address());
        var request =
                HttpRequest.newBuilder(server.resolve("/webhook/gitlab"))
                        .header("X-Gitlab-Event", "Push Hook")
                        .header("X-Gitlab-Token", secret)
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() / 100 != 2) throw new IOException(answer.statusCode() + " " + answer.body());
        }
    }

    String address() {
        return folder.toString();
    }

    /// By `fast-import`, as 50,000 folders in a work tree would take longer than what is measured.
    private void commit(String message, Content content) throws Exception {
        var first = !Files.exists(folder.resolve("refs/heads/main")) && !Files.exists(folder.resolve("packed-refs"));
        var process =
                new ProcessBuilder(git("fast-import", "--quiet", "--force")).redirectErrorStream(true).redirectOutput(folder.resolve("import.out").toFile()).start();
        try (var out = new BufferedOutputStream(process.getOutputStream(), 1 << 16)) {
            write(out, "commit refs/heads/main\ncommitter Ann <ann@example.com> %d +0000\n".formatted(System.currentTimeMillis() / 1000));
            write(out, "data %d\n%s\n".formatted(message.length(), message));
            if (!first) write(out, "from refs/heads/main^0\n");
            content.write(out);
            write(out, "\n");
        }
        if (process.waitFor() != 0) throw new IOException(Files.readString(folder.resolve("import.out")));
    }

    private static void file(OutputStream out, String path, String content) throws IOException {
        var bytes = content.getBytes(StandardCharsets.UTF_8);
        write(out, "M 100644 inline %s\ndata %d\n".formatted(path, bytes.length));
        out.write(bytes);
        write(out, "\n");
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private List<String> git(String... arguments) {
        var command = new ArrayList<>(List.of("git", "--git-dir=" + folder));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String run(List<String> command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) throw new IOException(said);
        return said;
    }

    @FunctionalInterface
    private interface Content {
        void write(OutputStream out) throws IOException;
    }
}
