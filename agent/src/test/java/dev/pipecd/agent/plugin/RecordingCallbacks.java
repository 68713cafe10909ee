// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.agent.plugin.callback.Callbacks;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// Callbacks that keep everything in memory, for one known deployment.
final class RecordingCallbacks implements Callbacks {
    static final DeploymentId KNOWN = new DeploymentId("d1");

    final List<String> lines = new CopyOnWriteArrayList<>();
    final Map<String, String> values = new ConcurrentHashMap<>();
    final List<Command> commands =
            new CopyOnWriteArrayList<>(List.of(Command.newBuilder().setId("c1").build()));

    /// How often nothing new is ordered yet.
    final AtomicInteger waits = new AtomicInteger();

    @Override
    public void stageLogs(
            DeploymentId deployment,
            StageId stage,
            int retried,
            List<LogBlock> blocks,
            boolean completed) {
        require(deployment);
        blocks.forEach(block -> lines.add(block.getLog()));
        if (completed) lines.add("(completed)");
    }

    @Override
    public Optional<String> stageMetadata(DeploymentId deployment, StageId stage, String key) {
        require(deployment);
        return Optional.ofNullable(values.get(stage + "/" + key));
    }

    @Override
    public void putStageMetadata(
            DeploymentId deployment, StageId stage, Map<String, String> added) {
        require(deployment);
        added.forEach((key, value) -> values.put(stage + "/" + key, value));
    }

    @Override
    public Optional<String> pluginMetadata(DeploymentId deployment, String plugin, String key) {
        require(deployment);
        return Optional.ofNullable(values.get(plugin + "/" + key));
    }

    @Override
    public void putPluginMetadata(
            DeploymentId deployment, String plugin, Map<String, String> added) {
        require(deployment);
        added.forEach((key, value) -> values.put(plugin + "/" + key, value));
    }

    @Override
    public Optional<String> sharedMetadata(DeploymentId deployment, String key) {
        require(deployment);
        return Optional.ofNullable(values.get(key));
    }

    @Override
    public List<Command> stageCommands(DeploymentId deployment, StageId stage) {
        require(deployment);
        return List.copyOf(commands);
    }

    @Override
    public List<Command> awaitStageCommands(
            DeploymentId deployment, StageId stage, Set<String> seen, Duration longest) {
        require(deployment);
        return waits.getAndDecrement() > 0 ? List.of() : List.copyOf(commands);
    }

    @Override
    public byte[] sharedObject(ApplicationId application, String plugin, String key) {
        var found = values.get(application + "/" + plugin + "/" + key);
        if (found == null) throw new Problem(Problem.Code.NOT_FOUND, "object: " + key, "");
        return found.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void putSharedObject(
            ApplicationId application, String plugin, String key, byte[] object) {
        values.put(
                application + "/" + plugin + "/" + key, new String(object, StandardCharsets.UTF_8));
    }

    private static void require(DeploymentId deployment) {
        if (!deployment.equals(KNOWN))
            throw new Problem(
                    Problem.Code.NOT_FOUND,
                    "deployment: \"%s\" (expected: one that runs here)".formatted(deployment),
                    "");
    }
}
