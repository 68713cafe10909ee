// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/// Whether changed files concern an application. A file that `ignores` names is dropped; any other
/// counts if `paths` names it or it lies in the application's directory.
public final class TouchRule {
    private final String directory;
    private final List<String> reach;
    private final PathPatterns paths;
    private final PathPatterns ignores;

    public TouchRule(String applicationDirectory, List<String> paths, List<String> ignores) {
        this.directory = String.join("/", TreePath.parts(applicationDirectory));
        this.reach =
                Stream.concat(
                                Stream.of(directory),
                                paths.stream().filter(PathPatterns::names).map(PathPatterns::below))
                        .distinct()
                        .toList();
        this.paths = new PathPatterns("trigger.onCommit.paths", paths);
        this.ignores = new PathPatterns("trigger.onCommit.ignores", ignores);
    }

    /// The folders and files outside of which no change can count.
    public List<String> reach() {
        return reach;
    }

    public boolean touches(Collection<String> changedFiles) {
        return changedFiles.stream()
                .anyMatch(file -> !ignores.match(file) && (paths.match(file) || isInside(file)));
    }

    private boolean isInside(String file) {
        return directory.isEmpty() || file.startsWith(directory + "/");
    }
}
