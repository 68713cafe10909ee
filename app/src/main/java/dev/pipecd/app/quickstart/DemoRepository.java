// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/// The Git repository of the demo: two sample applications, and hooks that tell the control plane
/// of each commit.
final class DemoRepository {
    private static final List<String> FILES =
            List.of(
                    "README.md",
                    "site/app.pipecd.yaml",
                    "site/index.html",
                    "broken/app.pipecd.yaml");
    private static final List<String> HOOKS = List.of("post-commit", "post-merge", "post-rewrite");

    private final Place place;

    DemoRepository(Place place) {
        this.place = place;
    }

    /// Whole or not at all: what a crash left half made is thrown away and made again.
    void ensure() throws IOException, InterruptedException {
        if (Files.exists(place.repository())) return;
        var draft = place.data().resolve("repo.new");
        delete(draft);
        for (var file : FILES) {
            var target = draft.resolve(file);
            Files.createDirectories(target.getParent());
            Files.writeString(
                    target,
                    resource(file)
                            .replace(
                                    "@PUBLISH_DIR@",
                                    place.published().toString().replace("'", "''")));
        }
        git(draft, "init", "--quiet", "--initial-branch=main", ".");
        git(draft, "config", "user.name", "PipeCD quickstart");
        git(draft, "config", "user.email", "quickstart@localhost");
        git(draft, "config", "commit.gpgsign", "false");
        // Hooks set for all of a person's repositories would hide ours.
        git(draft, "config", "core.hooksPath", place.repository().resolve(".git/hooks").toString());
        git(draft, "add", ".");
        git(draft, "commit", "--quiet", "--no-verify", "-m", "Add the sample applications");
        writeHooks(draft.resolve(".git/hooks"));
        Files.move(draft, place.repository(), StandardCopyOption.ATOMIC_MOVE);
    }

    private void writeHooks(Path folder) throws IOException {
        var body =
                "{\"object_kind\":\"push\",\"ref\":\"refs/heads/main\",\"project\":{\"git_http_url\":\"%s\"}}"
                        .formatted(escapedForJson(place.repository().toString()));
        var hook =
                resource("hook.sh")
                        .replace("@DATA@", quotedForShell(place.data().toString()))
                        .replace("@BODY@", quotedForShell(body))
                        .replace(
                                "@LENGTH@",
                                Integer.toString(body.getBytes(StandardCharsets.UTF_8).length));
        Files.createDirectories(folder);
        for (var name : HOOKS) {
            Files.writeString(folder.resolve(name), hook);
            Files.setPosixFilePermissions(
                    folder.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private static void git(Path folder, String... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        var builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        // A quickstart started from a hook of another repository would otherwise write into that
        // one.
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        var process = builder.start();
        process.getOutputStream().close();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "git %s: %s (expected: success)".formatted(arguments[0], said.strip()),
                    "Git 2.28 or later is needed to make the demo repository.");
        }
    }

    private static String resource(String name) throws IOException {
        try (var stream = DemoRepository.class.getResourceAsStream(name)) {
            return new String(
                    Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String quotedForShell(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String escapedForJson(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) return;
        try (var paths = Files.walk(folder)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
        }
    }
}
