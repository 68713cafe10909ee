// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.source.Commit;
import java.util.regex.Pattern;

/// Which commit of another repository led to this one, as the trailer of an event says.
final class Trace {
    private static final String TRAILER = "Pipecd-Dev-Trace-Trigger-Commit-Hash:";

    /// Longer ones do not fit into the column that the public schema has for it.
    private static final Pattern HASH = Pattern.compile("[0-9A-Za-z]{1,40}");

    private Trace() {}

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
