// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.model.PipelineStage;
import java.util.Optional;

/// Whose a planned stage is. Names do not tell: rollback stages of two plugins may have the same,
/// and another plugin may offer it by the time it runs. It stands in the stage's metadata, for
/// which the public protocol has room, so that it is found again when the journal is gone.
public final class PlannedOwner {
    private static final String KEY = "pipecd/plugin";

    private PlannedOwner() {}

    public static void keep(PipelineStage.Builder stage, String plugin) {
        stage.putMetadata(KEY, plugin);
    }

    /// Empty where an agent planned it that keeps no owner.
    public static Optional<String> of(PipelineStage stage) {
        return Optional.ofNullable(stage.getMetadataMap().get(KEY));
    }
}
