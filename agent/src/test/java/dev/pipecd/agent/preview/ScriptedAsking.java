// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import dev.pipecd.agent.plugin.PlanPreviews.Change;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/// Plans and plugins that answer what a test says.
final class ScriptedAsking implements Asking {
    final List<Commit> opened = new CopyOnWriteArrayList<>();
    final List<String> done = new CopyOnWriteArrayList<>();
    volatile List<Change> changes = List.of();
    volatile List<String> plugins = List.of("fake");
    volatile List<String> targetsOf = List.of();
    volatile List<String> targets = List.of("here");
    volatile String brokenPlan = "";
    volatile CountDownLatch asked = new CountDownLatch(1);
    volatile CountDownLatch mayAnswer = new CountDownLatch(0);

    @Override
    public Deployment opened(Application application, Commit merged) {
        opened.add(merged);
        return Deployment.newBuilder()
                .setId("preview-" + application.getId())
                .setApplicationId(application.getId())
                .build();
    }

    @Override
    public Deployment planned(Deployment opened) {
        if (opened.getApplicationId().equals(brokenPlan))
            throw new Problem(Problem.Code.STAGE_UNKNOWN, "stage: \"NOPE\"", "Correct it.");
        var planned = opened.toBuilder();
        targetsOf.forEach(plugin ->
                planned.putDeployTargetsByPlugin(
                        plugin, DeployTargets.newBuilder().addAllDeployTargets(targets).build()));
        return planned.setSummary("quick sync: no pipeline is configured")
                .setTrigger(DeploymentTrigger.newBuilder().setSyncStrategy(SyncStrategy.QUICK_SYNC))
                .build();
    }

    @Override
    public List<String> plugins(Deployment planned) {
        return plugins;
    }

    @Override
    public List<Change> changes(String plugin, Deployment planned) throws InterruptedException {
        asked.countDown();
        mayAnswer.await();
        return plugin.equals("fake") ? changes : List.of();
    }

    @Override
    public void done(Deployment opened) {
        done.add(opened.getId());
    }
}
