// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

/// The agent stops: nothing is recorded any more, so nothing more may be done.
public final class JournalClosed extends RuntimeException {
    JournalClosed() {
        super("the journal is closed: the agent stops");
    }
}
