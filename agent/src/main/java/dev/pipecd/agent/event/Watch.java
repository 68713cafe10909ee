// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import dev.pipecd.config.ApplicationConfig.EventUpdate;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What somebody wants done in a repository when an event comes.
///
/// @param origin the file that says so, and which entry of it
/// @param directory what the files to change are relative to
record Watch(
        RepositoryId repository, String origin, String directory, Kind kind, EventUpdate update) {

    /// What events have in common that are taken for one another.
    record Kind(String name, Map<String, String> labels) {
        Kind {
            labels = Map.copyOf(labels);
        }

        static Kind of(Event event) {
            return new Kind(event.getName(), event.getLabelsMap());
        }
    }

    /// From the repository's root.
    ///
    /// @param real where the directory is, links followed
    String path(String real, String file) {
        var parts = new ArrayList<String>();
        var whole = real + "/" + file;
        if (file.isEmpty() || file.startsWith("/")) throw leaves(file);
        for (var part : List.of(whole.split("/", -1))) {
            if (part.isEmpty() || part.equals(".")) continue;
            if (!part.equals("..")) parts.add(part);
            else if (parts.isEmpty()) throw leaves(file);
            else parts.removeLast();
        }
        return String.join("/", parts);
    }

    private Problem leaves(String file) {
        return new Problem(
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "file: \"%s\" (expected: a path inside the repository)".formatted(file),
                "Use a path relative to %s."
                        .formatted(
                                directory.isEmpty()
                                        ? "the repository's root"
                                        : "the application's directory"));
    }
}
