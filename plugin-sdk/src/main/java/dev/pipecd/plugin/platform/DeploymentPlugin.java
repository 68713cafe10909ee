// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import dev.pipecd.plugin.stage.NoOptions;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOwner;
import java.io.IOException;
import java.util.List;

/// Deploys applications to a platform: what a deployment brings, whether it takes the pipeline, and
/// the stages it is made of. Needs a deploy target.
public interface DeploymentPlugin extends StageOwner {
    /// Those for pipelines, beside the two below.
    @Override
    default List<Stage<?>> stages() {
        return List.of();
    }

    /// The one stage of a deployment without a pipeline; its options must all be optional.
    Stage<?> quickSync();

    /// Brings back what ran before; planned once for all stages of this plugin.
    Stage<NoOptions> rollback();

    /// What will run, as people call it.
    default List<Version> versions(Planning plan) throws IOException, InterruptedException {
        return List.of();
    }

    /// Asked when neither the application's file nor the commit decides.
    default Strategy strategy(Planning plan) throws IOException, InterruptedException {
        return Strategy.pipeline("Sync with the specified pipeline");
    }
}
