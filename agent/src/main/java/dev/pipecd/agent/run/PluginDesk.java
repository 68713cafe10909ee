// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.plugin.callback.Callbacks;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// What plugins ask for while a stage runs: their notes, their log lines, the orders of people.
public final class PluginDesk implements Callbacks {
    private static final long LONGEST_LOG = 10 << 20;
    private static final long MOST_WAITING = 32 << 20;

    private final Supplier<Runs> runs;
    private final SharedObjects objects;
    private final LogAllowance logs;

    public PluginDesk(Supplier<Runs> runs, SharedObjects objects) {
        this.runs = runs;
        this.objects = objects;
        this.logs = new LogAllowance(LONGEST_LOG, MOST_WAITING, () -> runs.get().bytesWaiting());
    }

    @Override
    public void stageLogs(
            DeploymentId deployment,
            StageId stage,
            int retried,
            List<LogBlock> blocks,
            boolean completed) {
        var run = run(deployment);
        var kept = logs.pass(new LogAllowance.Log(deployment, stage, retried), blocks, completed);
        run.pluginNotes().logs(stage, retried, kept, completed);
    }

    @Override
    public Optional<String> stageMetadata(DeploymentId deployment, StageId stage, String key) {
        return run(deployment).notes().get(Notes.stage(stage), key);
    }

    @Override
    public void putStageMetadata(
            DeploymentId deployment, StageId stage, Map<String, String> values) {
        run(deployment).pluginNotes().note(stage, values);
    }

    @Override
    public Optional<String> pluginMetadata(DeploymentId deployment, String plugin, String key) {
        return run(deployment).notes().get(Notes.plugin(plugin), key);
    }

    @Override
    public void putPluginMetadata(
            DeploymentId deployment, String plugin, Map<String, String> values) {
        run(deployment).pluginNotes().note(plugin, values);
    }

    @Override
    public Optional<String> sharedMetadata(DeploymentId deployment, String key) {
        return Optional.ofNullable(
                run(deployment).sheet().getMetadataV2().getShared().getKeyValuesMap().get(key));
    }

    @Override
    public List<Command> stageCommands(DeploymentId deployment, StageId stage) {
        return run(deployment).orders().of(stage);
    }

    @Override
    public List<Command> awaitStageCommands(
            DeploymentId deployment, StageId stage, Set<String> seen, Duration longest)
            throws InterruptedException {
        return run(deployment).orders().await(stage, seen, longest);
    }

    @Override
    public byte[] sharedObject(ApplicationId application, String plugin, String key) {
        return objects.get(application, plugin, key);
    }

    @Override
    public void putSharedObject(
            ApplicationId application, String plugin, String key, byte[] object) {
        objects.put(application, plugin, key, object);
    }

    private DeploymentRun run(DeploymentId id) {
        return runs.get()
                .find(id)
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.NOT_FOUND,
                                "deployment: %s (expected: one that is going on)".formatted(id),
                                "It is over; stop working on it."));
    }
}
