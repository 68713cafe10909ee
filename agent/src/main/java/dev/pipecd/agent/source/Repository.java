// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.domain.RepositoryId;

/// A Git repository the agent watches, as its configuration names it.
///
/// @param depth how many commits of each branch are cloned at first; 0 is all
public record Repository(RepositoryId id, String remote, String branch, int depth) {
    public Repository(RepositoryId id, String remote, String branch) {
        this(id, remote, branch, 0);
    }

    /// The remote as others may see it: a web address without user and password.
    public static String shown(String remote) {
        return Remote.withoutLogin(remote);
    }
}
