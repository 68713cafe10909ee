// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

/// What of a commit may be left out, though it belongs to what an application is given.
public enum Leniency {
    /// Nothing: whoever wrote the commit can correct it.
    NONE,

    /// What is missing for good or too large: of a commit that was deployed already nothing can be
    /// corrected any more.
    LOST,

    /// Also a submodule whose server does not answer. It may never again, and nobody can tell.
    UNREACHABLE
}
