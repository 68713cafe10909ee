// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_RUNNING;
import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.Deployment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// How many people it takes to say go.
final class ApprovalTest {
    private static final String APPROVED = "pipecd/stage-approved-users";

    @Test
    void twoPeopleApproveAndOneOfThemTwiceIsNotEnough() throws Exception {
        try (var at = Installation.open()) {
            var app = at.add("two", Sample.pipeline().approval(2, "ann", "bob"));
            var waiting = app.awaitStage(app.first(), 0, STAGE_RUNNING);
            at.person().approve(waiting, 0);
            app.await(waiting, "ann's approval", d -> approved(d).equals("ann"));

            var again = at.person().approve(waiting, 0);
            at.person().sync(app.id());
            // Orders are taken in turn: once the later one has shown, the earlier one was looked
            // at.
            app.after(waiting);
            assertThat(at.person().command(again).getId()).isEqualTo(again);
            assertThat(at.person().deployment(waiting.getId()).getStatus())
                    .isEqualTo(DEPLOYMENT_RUNNING);

            assertThat(at.server().terminate()).isZero();
            at.writeControlPlane("bob");
            at.startServer();
            var bob = at.login("ours", "bob");
            bob.approve(waiting, 0);

            var ended =
                    at.await(
                            "the end",
                            () -> Optional.of(bob.deployment(waiting.getId())).filter(App::over));
            assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
            assertThat(approved(ended)).isEqualTo("ann, bob");
            assertThat(bob.log(ended, 0).stream().map(block -> block.getLog().strip()))
                    .containsSubsequence(List.of("ann approved (1 of 2)", "bob approved (2 of 2)"))
                    .doesNotHaveDuplicates();
        }
    }

    private static String approved(Deployment deployment) {
        return deployment.getStages(0).getMetadataOrDefault(APPROVED, "");
    }
}
