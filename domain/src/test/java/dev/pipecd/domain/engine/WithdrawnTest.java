// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.Progress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WithdrawnTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Observation WITHDRAWN =
            new Observation.Withdrawn(new Outcome.Superseded("d2"));
    private static final Plan PLAN =
            new Plan(
                    List.of(
                            new PlannedStage(
                                    new StageId("check"), "CHECK", false, Duration.ofHours(1))),
                    Duration.ofHours(1),
                    true);

    @Test
    void aDeploymentThatHasNotBegunEndsAsSaid() {
        assertThat(Engine.decide(new DeploymentState.Pending(), WITHDRAWN, NOW).state())
                .isEqualTo(
                        new DeploymentState.Finished(new Outcome.Superseded("d2"), Progress.NONE));
    }

    @Test
    void aDeploymentThatHasBegunGoesOn() {
        var running =
                Engine.decide(new DeploymentState.Pending(), new Observation.PlanReady(PLAN), NOW)
                        .state();

        var decision = Engine.decide(running, WITHDRAWN, NOW);

        assertThat(decision.state()).isEqualTo(running);
        assertThat(decision.events()).isEmpty();
    }
}
