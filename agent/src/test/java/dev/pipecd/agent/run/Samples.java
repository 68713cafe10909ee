// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/// Deployments of three stages (CHECK, PUBLISH and UNDO, which rolls back) and what people order.
final class Samples {
    static final CountDownLatch CALLED_OFF = new CountDownLatch(1);

    private Samples() {}

    static Command cancel(String id, String deployment) {
        return cancel(id, deployment, _ -> {});
    }

    static Command cancel(
            String id, String deployment, Consumer<Command.CancelDeployment.Builder> wish) {
        var order = Command.CancelDeployment.newBuilder().setDeploymentId(deployment);
        wish.accept(order);
        return Command.newBuilder()
                .setCancelDeployment(order)
                .setId(id)
                .setDeploymentId(deployment)
                .setCommander("ann")
                .setType(Command.Type.CANCEL_DEPLOYMENT)
                .build();
    }

    static Command approve(String id, String deployment, String stage) {
        return Command.newBuilder()
                .setId(id)
                .setDeploymentId(deployment)
                .setStageId(stage)
                .setCommander("ann")
                .setType(Command.Type.APPROVE_STAGE)
                .build();
    }

    static Deployment deployment(String id, String application) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId(application)
                .setApplicationName(application)
                .build();
    }

    /// As the planner does, except that "unplannable" cannot be planned, "endless" never is,
    /// "hurried" has little time, and "lasting" is not rolled back by itself.
    static Planning.Planned planning(Deployment pending) throws InterruptedException {
        if (!pending.getId().equals("endless")) return plan(pending);
        try {
            new CountDownLatch(1).await();
            throw new IllegalStateException("nobody lets it go on");
        } catch (InterruptedException calledOff) {
            CALLED_OFF.countDown();
            throw calledOff;
        }
    }

    static Planning.Planned plan(Deployment pending) {
        if (pending.getId().equals("unplannable"))
            throw new Problem(
                    Problem.Code.STAGE_UNKNOWN,
                    "stage: \"WIAT\" (expected: WAIT)",
                    "Correct the name.");
        var names = List.of("CHECK", "PUBLISH", "UNDO");
        var sheet = pending.toBuilder();
        names.forEach(name ->
                sheet.addStages(
                        PipelineStage.newBuilder()
                                .setId(
                                        pending.getId()
                                                + "-"
                                                + name.toLowerCase(java.util.Locale.ROOT))
                                .setName(name)
                                .setRollback(name.equals("UNDO"))));
        var planned =
                sheet.getStagesList().stream()
                        .map(s ->
                                new PlannedStage(
                                        new StageId(s.getId()),
                                        s.getName(),
                                        s.getRollback(),
                                        Duration.ofHours(1)))
                        .toList();
        var limit =
                pending.getId().equals("hurried") ? Duration.ofMillis(300) : Duration.ofHours(6);
        return new Planning.Planned(
                new Plan(planned, limit, !pending.getId().startsWith("lasting")), sheet.build());
    }

    /// As the control plane knows a deployment whose first stage was running when all was lost
    /// here.
    static Deployment lost(String id) {
        var lost =
                plan(deployment(id, "app")).sheet().toBuilder()
                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING);
        lost.setStages(0, lost.getStages(0).toBuilder().setStatus(StageStatus.STAGE_RUNNING));
        return lost.build();
    }
}
