// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.model.SyncStrategy;

/// How a plugin would deploy a change, if it has an opinion.
public sealed interface DeterminedStrategy {
    record Determined(SyncStrategy strategy, String summary) implements DeterminedStrategy {}

    record NoOpinion() implements DeterminedStrategy {}
}
