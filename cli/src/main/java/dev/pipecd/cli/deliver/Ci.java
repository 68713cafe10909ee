// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the CI system around us tells in its environment: the commit it has built, and where its
/// page takes a summary.
record Ci(Map<String, String> environment) {
    private static final List<String> HASHES =
            List.of(
                    "GITHUB_SHA",
                    "CI_COMMIT_SHA",
                    "BUILDKITE_COMMIT",
                    "CIRCLE_SHA1",
                    "BITBUCKET_COMMIT",
                    "GIT_COMMIT");

    Ci {
        environment = Map.copyOf(environment);
    }

    String commit() {
        return HASHES.stream().map(this::get).filter(s -> !s.isEmpty()).findFirst().orElse("");
    }

    /// Empty where the system does not tell enough.
    String commitUrl() {
        if (!get("GITHUB_REPOSITORY").isEmpty())
            return "%s/%s/commit/%s"
                    .formatted(get("GITHUB_SERVER_URL"), get("GITHUB_REPOSITORY"), commit());
        if (!get("CI_PROJECT_URL").isEmpty())
            return get("CI_PROJECT_URL") + "/-/commit/" + commit();
        return "";
    }

    String commitTitle() {
        return get("CI_COMMIT_TITLE");
    }

    String commitAuthor() {
        return get("CI_COMMIT_AUTHOR").isEmpty() ? get("GITHUB_ACTOR") : get("CI_COMMIT_AUTHOR");
    }

    Optional<Path> summary() {
        return Optional.of(get("GITHUB_STEP_SUMMARY")).filter(s -> !s.isEmpty()).map(Path::of);
    }

    private String get(String name) {
        return environment.getOrDefault(name, "");
    }
}
