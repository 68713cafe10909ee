// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.callback;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What plugins may ask of the agent and tell it. A method that keeps something comes back when it
/// would survive a crash; one that does not know the deployment throws a `Problem`.
public interface Callbacks {
    void stageLogs(
            DeploymentId deployment,
            StageId stage,
            int retried,
            List<LogBlock> blocks,
            boolean completed);

    Optional<String> stageMetadata(DeploymentId deployment, StageId stage, String key);

    void putStageMetadata(DeploymentId deployment, StageId stage, Map<String, String> values);

    Optional<String> pluginMetadata(DeploymentId deployment, String plugin, String key);

    void putPluginMetadata(DeploymentId deployment, String plugin, Map<String, String> values);

    Optional<String> sharedMetadata(DeploymentId deployment, String key);

    List<Command> stageCommands(DeploymentId deployment, StageId stage);

    /// The same, as soon as there is one that was not seen; at the latest after `longest`.
    List<Command> awaitStageCommands(
            DeploymentId deployment, StageId stage, Set<String> seen, Duration longest)
            throws InterruptedException;

    /// What a plugin keeps for an application across deployments; a `Problem` when there is none.
    byte[] sharedObject(ApplicationId application, String plugin, String key);

    void putSharedObject(ApplicationId application, String plugin, String key, byte[] object);
}
