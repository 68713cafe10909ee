// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.approval;

import static dev.pipecd.plugin.stage.StageCommand.Order.APPROVE;
import static dev.pipecd.plugin.stage.StageCommand.Order.SKIP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.testkit.TestRun;
import dev.pipecd.plugin.testkit.TestRun.LogLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApprovalStageTest {
    private static final String TWO_OF_THREE =
            "{\"approvers\": [\"ann\", \"bob\", \"cid\"], \"minApproverNum\": 2}";

    @TempDir Path directory;

    private TestRun<ApprovalStage.Options> run(String with) {
        return TestRun.of(ApprovalStage.stage(), with, directory);
    }

    @Test
    void oneApprovalIsEnoughUnlessMoreAreAskedFor() throws Exception {
        var run = run("{\"approvers\": [\"ann\", \"bob\"]}").command(APPROVE, "bob");

        assertThat(run.run()).isEqualTo(new StageOutcome.Succeeded());

        assertThat(run.metadata())
                .isEqualTo(
                        Map.of(
                                "pipecd/stage-approved-users", "bob",
                                "pipecd/stage-display-metadata", "Approved by bob"));
        assertThat(run.told())
                .extracting(LogLine::line)
                .containsExactly(
                        "Waiting for approval by 1 of ann, bob",
                        "bob approved (1 of 1)",
                        "Approved by bob");
    }

    @Test
    void twoApprovalsOfOnePersonCountOnce() {
        var run = run(TWO_OF_THREE).command(APPROVE, "ann").command(APPROVE, "ann");

        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);

        assertThat(run.metadata()).containsEntry("pipecd/stage-approved-users", "ann");
    }

    @Test
    void onlyPeopleNamedCountAndOnlyApprovals() {
        var run =
                run(TWO_OF_THREE)
                        .command(APPROVE, "eve")
                        .command(SKIP, "ann")
                        .command(APPROVE, "Ann");

        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);

        assertThat(run.metadata()).isEmpty();
    }

    @Test
    void calledAgainItKnowsWhoApprovedBefore() throws Exception {
        var run = run(TWO_OF_THREE).command(APPROVE, "ann");
        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);
        run.command(APPROVE, "ann").command(APPROVE, "cid");

        assertThat(run.runAgain(Duration.ofMinutes(5))).isEqualTo(new StageOutcome.Succeeded());

        assertThat(run.told())
                .extracting(LogLine::line)
                .containsExactly(
                        "Waiting for approval by 2 of ann, bob, cid",
                        "ann approved (1 of 2)",
                        "cid approved (2 of 2)",
                        "Approved by ann, cid");
    }

    @Test
    void calledAgainWithEnoughApprovalsItAsksNobody() throws Exception {
        var run = run(TWO_OF_THREE).metadata("pipecd/stage-approved-users", "bob, cid");

        assertThat(run.run()).isEqualTo(new StageOutcome.Succeeded());
    }

    @Test
    void approversAreRequired() {
        assertThatThrownBy(() -> run("{}"))
                .hasMessage("approvers: missing (expected: a list, each text)");
    }

    @Test
    void anEmptyListWrittenAsSuchLetsAnybodyApproveWhomTheControlPlaneLets() throws Exception {
        var run =
                run("{\"approvers\": [], \"minApproverNum\": 2}")
                        .command(APPROVE, "eve")
                        .command(APPROVE, "eve")
                        .command(APPROVE, "")
                        .command(APPROVE, "dan");

        assertThat(run.run()).isEqualTo(new StageOutcome.Succeeded());

        assertThat(run.told())
                .extracting(LogLine::line)
                .containsExactly(
                        "Waiting for approval by 2 of those who may approve in this project",
                        "eve approved (1 of 2)",
                        "dan approved (2 of 2)",
                        "Approved by eve, dan");
    }

    @Test
    void atLeastOneApprovalIsNeeded() {
        assertThatThrownBy(() -> run("{\"approvers\": [], \"minApproverNum\": 0}"))
                .hasMessage("minApproverNum: 0 (expected: 1 or more)");
    }

    @Test
    void moreApprovalsThanApproversCanNeverBeReached() {
        assertThatThrownBy(() -> run("{\"approvers\": [\"ann\", \"ann\"], \"minApproverNum\": 2}"))
                .hasMessage("minApproverNum: 2 (expected: 1 to 1, the number of approvers)");
    }
}
