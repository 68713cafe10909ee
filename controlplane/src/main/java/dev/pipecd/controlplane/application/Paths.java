// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Places inside a Git repository.
final class Paths {
    private static final Pattern SCP = Pattern.compile("(?:[^@/]+@)?([^:/]+):(?!//)(.+)");
    private static final Pattern URL =
            Pattern.compile("(?:https?|ssh|git)://(?:[^@/]+@)?([^:/]+)(?::\\d+)?/(.+)");

    private Paths() {}

    /// The one way to write it, so that one place is not registered twice under two spellings.
    static String within(String path) {
        var parts = path.split("/", -1);
        if (path.startsWith("/") || Arrays.asList(parts).contains(".."))
            throw new Problem(
                    Problem.Code.PATH_LEAVES_REPOSITORY,
                    "path: \"%s\" (expected: a folder inside the repository)".formatted(path),
                    "Give the folder of the application from the root of the repository.");
        var clean =
                Arrays.stream(parts)
                        .filter(p -> !p.isEmpty() && !p.equals("."))
                        .collect(Collectors.joining("/"));
        // By the public rule a path has two characters or more.
        return clean.length() < 2 ? "./" + clean : clean;
    }

    /// Where people can look at it, or empty when the remote is not a web host.
    static String url(ApplicationGitRepository repository, String path) {
        return host(repository.getRemote())
                .map(h ->
                        "https://%s/%s/%s/%s"
                                .formatted(
                                        h,
                                        h.startsWith("bitbucket.org") ? "src" : "tree",
                                        repository.getBranch(),
                                        path))
                .orElse("");
    }

    private static Optional<String> host(String remote) {
        for (var form : new Pattern[] {URL, SCP}) {
            var match = form.matcher(remote);
            if (match.matches())
                return Optional.of(
                        match.group(1) + "/" + match.group(2).replaceFirst("(\\.git)?/?$", ""));
        }
        return Optional.empty();
    }

    /// As its agent reported it: what it does not watch, it cannot deploy.
    static ApplicationGitRepository repository(Piped piped, String id) {
        return piped.getRepositoriesList().stream()
                .filter(r -> r.getId().equals(id))
                .findFirst()
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.NOT_FOUND,
                                "repository: %s (expected: one of [%s], as piped %s reported them)"
                                        .formatted(id, known(piped), piped.getName()),
                                "Add it to the agent's `repositories:` and start the agent."));
    }

    private static String known(Piped piped) {
        return piped.getRepositoriesList().stream()
                .map(ApplicationGitRepository::getId)
                .collect(Collectors.joining(", "));
    }

    /// The name of a file beside the application, not a path.
    static String fileName(String name) {
        if (name.contains("/") || name.equals(".") || name.equals(".."))
            throw new Problem(
                    Problem.Code.PATH_LEAVES_REPOSITORY,
                    "config_filename: \"%s\" (expected: a file name without a folder)"
                            .formatted(name),
                    "Give the name of the file inside the application's folder.");
        return name;
    }
}
