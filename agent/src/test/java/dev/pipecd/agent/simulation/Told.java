// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.WalkMarks;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import java.util.List;

/// What the control plane was told in one run, checked against what was meant to be and what was
/// done: of all runs, also where a disk was lost or two agents took turns, when no journal has the
/// whole story.
record Told(String name, Simulation simulation) {
    void endsHonestly() {
        simulation.controlPlane.deployments.values().forEach(this::endsHonestly);
    }

    private void endsHonestly(Deployment told) {
        var about = "%s: %s, as it was told".formatted(name, told.getId());
        assertThat(SimulatedControlPlane.ended(told)).as(about).isTrue();
        for (var stage : told.getStagesList())
            if (stage.getStatus() == StageStatus.STAGE_SUCCESS)
                assertThat(ran(stage.getId()))
                        .as("%s: %s succeeded without having run", about, stage.getId())
                        .isTrue();
        isRolledBackOnlyIfMeant(about, told);
        // Where another took over, what the one before recorded may be told late, between the
        // words of the other.
        if (simulation.agents.size() > 1) return;
        assertThat(told.getStatus().name().substring("DEPLOYMENT_".length()))
                .as(about)
                .isIn(statuses(Marks.of(told, "pipecd/outcome").orElse("")));
        if (told.getStatus() == DeploymentStatus.DEPLOYMENT_SUCCESS) wentAllTheWay(about, told);
        isCancelledIfAPersonStoppedIt(about, told);
    }

    private static List<String> statuses(String outcome) {
        return switch (outcome) {
            case "Succeeded" -> List.of("SUCCESS");
            case "RolledBack", "PartlyRolledBack", "RollbackFailed" ->
                    List.of("FAILURE", "CANCELLED");
            case "Failed", "TimedOut", "Lost" -> List.of("FAILURE");
            case "Cancelled", "Superseded" -> List.of("CANCELLED");
            default -> List.of("nothing that is told as \"%s\"".formatted(outcome));
        };
    }

    private boolean ran(String stage) {
        return simulation.agents.stream().anyMatch(a -> a.stages.ran(new StageId(stage)));
    }

    private static void wentAllTheWay(String about, Deployment told) {
        assertThat(
                        told.getStagesList().stream()
                                .filter(s -> !s.getRollback())
                                .map(s -> s.getStatus())
                                .takeWhile(s -> s != StageStatus.STAGE_EXITED))
                .as(about)
                .allMatch(s -> s == StageStatus.STAGE_SUCCESS || s == StageStatus.STAGE_SKIPPED);
    }

    private void isRolledBackOnlyIfMeant(String about, Deployment told) {
        var plan = simulation.scenario.deployment(told.getId()).plan();
        if (plan.autoRollback() || simulation.forced.contains(told.getId())) return;
        assertThat(plan.rollback().stream().map(PlannedStage::id).map(StageId::value))
                .as("%s: rolled back against its file", about)
                .noneMatch(this::ran);
    }

    private static void isCancelledIfAPersonStoppedIt(String about, Deployment told) {
        var byPerson =
                WalkMarks.halt(told)
                        .map(halt -> halt.cause() instanceof Cause.CancelledBy)
                        .orElse(
                                List.of("Cancelled", "Superseded")
                                        .contains(Marks.of(told, "pipecd/outcome").orElse("")));
        assertThat(told.getStatus() == DeploymentStatus.DEPLOYMENT_CANCELLED)
                .as("%s: %s after %s", about, told.getStatus(), WalkMarks.halt(told))
                .isEqualTo(byPerson);
    }
}
