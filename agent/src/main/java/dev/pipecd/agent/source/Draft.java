// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.time.Instant;
import java.util.Map;

/// A commit to be made: files that are there already, with new content.
///
/// @param parent the commit it stands on
public record Draft(
        String parent, Map<String, byte[]> files, String message, Author author, Instant at) {
    public Draft {
        files = Map.copyOf(files);
    }

    public record Author(String name, String email) {}

    /// What came of sending a commit to the remote.
    public sealed interface Push {}

    public record Done() implements Push {}

    /// Somebody else was first: fetch, and make the change anew.
    public record Moved() implements Push {}

    /// The server does not want it.
    public record Refused(String reason) implements Push {}
}
