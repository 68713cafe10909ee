// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.tree.TreePath;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/// Whether changed files concern an application. A file that `ignores` names is dropped; any other
/// counts if `paths` names it or it lies in one of the application's places. By the public rule one
/// ignored file makes all the others not count.
public final class TouchRule {
    private final List<String> places;
    private final List<String> reach;
    private final PathPatterns paths;
    private final PathPatterns ignores;
    private final boolean ignoresByCommit;

    /// @param places folders and files that are the application's own
    public TouchRule(
            List<String> places,
            List<String> paths,
            List<String> ignores,
            boolean ignoresByCommit) {
        this.places =
                places.stream().map(place -> String.join("/", TreePath.parts(place))).toList();
        this.reach =
                Stream.of(
                                this.places.stream(),
                                below(paths),
                                ignoresByCommit ? below(ignores) : Stream.<String>empty())
                        .flatMap(each -> each)
                        .distinct()
                        .toList();
        this.paths = new PathPatterns("trigger.onCommit.paths", paths);
        this.ignores = new PathPatterns("trigger.onCommit.ignores", ignores);
        this.ignoresByCommit = ignoresByCommit;
    }

    private static Stream<String> below(List<String> patterns) {
        return patterns.stream().filter(PathPatterns::names).map(PathPatterns::below);
    }

    /// The folders and files outside of which no change can count.
    public List<String> reach() {
        return reach;
    }

    public boolean touches(Collection<String> changedFiles) {
        if (ignoresByCommit && changedFiles.stream().anyMatch(ignores::match)) return false;
        return changedFiles.stream()
                .anyMatch(file -> !ignores.match(file) && (paths.match(file) || isInside(file)));
    }

    private boolean isInside(String file) {
        return places.stream()
                .anyMatch(place ->
                        place.isEmpty() || file.equals(place) || file.startsWith(place + "/"));
    }
}
