// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.domain.RepositoryId;

/// A Git repository the agent watches, as its configuration names it.
public record Repository(RepositoryId id, String remote, String branch) {}
