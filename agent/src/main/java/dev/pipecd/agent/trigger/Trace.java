// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.source.Commit;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Which commit of another repository led to a deployment, as the trailer of an event says.
final class Trace {
    private static final String TRAILER = "Pipecd-Dev-Trace-Trigger-Commit-Hash:";

    /// Longer ones do not fit into the column that the public schema has for it.
    private static final Pattern HASH = Pattern.compile("[0-9A-Za-z]{1,40}");

    private Trace() {}

    /// Of several commits that were pushed at a time: what the newest says that touches what is
    /// deployed, and not the head, which may be about something else.
    ///
    /// @param pushed newest first
    static String of(List<Commit> pushed, Predicate<Commit> touches) {
        return pushed.stream()
                .filter(commit -> !of(commit).isEmpty() && touches.test(commit))
                .findFirst()
                .map(Trace::of)
                .orElse("");
    }

    /// Empty when none is told.
    static String of(Commit commit) {
        return commit.body()
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith(TRAILER))
                .map(line -> line.substring(TRAILER.length()).strip())
                .filter(hash -> HASH.matcher(hash).matches())
                .findFirst()
                .orElse("");
    }
}
