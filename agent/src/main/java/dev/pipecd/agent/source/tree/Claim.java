// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

/// Why an application is given a place of a commit; the strongest reason comes first.
enum Claim {
    /// It belongs to the application and must be right.
    OWN,
    /// The application's file names it: it must be there.
    NAMED,
    /// A file refers to it, or the trigger watches it: perhaps nobody needs it.
    MENTIONED;

    boolean isNeeded() {
        return this != MENTIONED;
    }
}
