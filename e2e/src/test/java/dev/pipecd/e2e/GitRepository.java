// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

/// A Git repository and its server's webhook.
final class GitRepository {
    static final String WEBHOOK_SECRET = "a secret between Git server and control plane";

    private final Path directory;
    private final URI controlPlane;

    GitRepository(Path directory, URI controlPlane) {
        this.directory = directory;
        this.controlPlane = controlPlane;
    }

    Path directory() {
        return directory;
    }

    GitRepository create() {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        git("init", "--quiet", "--initial-branch=main", ".");
        git("config", "user.name", "Ann");
        git("config", "user.email", "ann@example.com");
        git("config", "commit.gpgsign", "false");
        return this;
    }

    synchronized String git(String... arguments) {
        var command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return Shell.run(directory, command);
    }

    synchronized GitRepository write(String file, String text) {
        try {
            var path = directory.resolve(file);
            Files.createDirectories(path.resolveSibling(""));
            Files.writeString(path, text);
            return this;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Gives the commit's hash.
    synchronized String commit(String file, String text, String message) {
        write(file, text);
        git("add", "--", file);
        git("commit", "--quiet", "-m", message);
        return git("rev-parse", "HEAD").strip();
    }

    /// What a Git server does after a push.
    void tell() {
        var body =
                "{\"ref\":\"refs/heads/main\",\"project\":{\"git_http_url\":\"%s\"}}"
                        .formatted(directory);
        var request =
                HttpRequest.newBuilder(controlPlane.resolve("/webhook/gitlab"))
                        .header("X-Gitlab-Event", "Push Hook")
                        .header("X-Gitlab-Token", WEBHOOK_SECRET)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 202)
                throw new AssertionError("webhook: " + answer.statusCode() + " " + answer.body());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
