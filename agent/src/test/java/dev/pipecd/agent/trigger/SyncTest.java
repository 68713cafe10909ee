// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.piped.CreateDeploymentChainRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is deployed because somebody, or a chain, ordered it.
final class SyncTest {
    @TempDir Path directory;

    private TriggerStand at;

    @BeforeEach
    void start() throws Exception {
        at = TriggerStand.open(directory);
    }

    @AfterEach
    void stop() throws Exception {
        at.close();
    }

    @Test
    void aSyncDeploysTheHeadAgainForThePersonWhoOrderedIt() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);

        at.trigger.sync(TriggerStand.sync("site"));

        assertThat(at.opened).hasSize(2);
        assertThat(at.opened.getLast().getTrigger().getCommander()).isEqualTo("ann");
    }

    @Test
    void aSyncThatMayNotBeOpenedIsLeftUnanswered() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.acting = false;

        assertThat(at.trigger.sync(TriggerStand.sync("site"))).isFalse();
        at.acting = true;

        assertThat(at.trigger.sync(TriggerStand.sync("site"))).isTrue();
        assertThat(at.opened).hasSize(1);
        assertThat(at.controlPlane.handled).isEmpty();
    }

    @Test
    void aSyncOfAnApplicationThatIsNotOursFailsWithTheReason() {
        at.trigger.sync(TriggerStand.sync("elsewhere"));

        await().atMost(Duration.ofMinutes(1)).until(() -> at.controlPlane.handled.size() == 1);
        assertThat(at.controlPlane.handled.getFirst().getStatus())
                .isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(at.controlPlane.handled.getFirst().getMetadataMap())
                .containsEntry(
                        "Reason",
                        "application: elsewhere (expected: an enabled application of this agent)");
        assertThat(at.opened).isEmpty();
    }

    @Test
    void aSyncOfWhatCannotBeReadIsADeploymentThatWillSayWhy() {
        at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        at.trigger.sync(TriggerStand.sync("site"));

        assertThat(at.opened).hasSize(1);
        assertThat(TriggerStand.marks(at.opened.getFirst()))
                .containsKey("pipecd/config-unreadable")
                .containsKey("pipecd/orders");
    }

    @Test
    void aSyncWaitsUntilItsFileCanBeReadAndKeepsItsChain() {
        at.remote
                .write(
                        "site/app.pipecd.yaml",
                        TriggerStand.VALID
                                + "  postSync: {chain: {applications: [{name: next}]}}\n")
                .commit("Add the site");
        at.history.failing.set(3);

        at.trigger.sync(TriggerStand.sync("site"));

        assertThat(at.opened).hasSize(1);
        assertThat(TriggerStand.marks(at.opened.getFirst()))
                .doesNotContainKey("pipecd/config-unreadable");
        assertThat(at.calls.getFirst()).startsWith("CreateDeploymentChain");
    }

    @Test
    void aSyncWhoseFileCannotBeReadForLongFailsWithTheReason() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.history.failing.set(Integer.MAX_VALUE);

        at.trigger.sync(TriggerStand.sync("site"));

        await().atMost(Duration.ofMinutes(1)).until(() -> at.controlPlane.handled.size() == 1);
        assertThat(at.controlPlane.handled.getFirst().getMetadataMap().get("Reason"))
                .startsWith("mirror of demo: planted (expected: a readable mirror)");
        assertThat(at.history.looked).hasValue(60);
        assertThat(at.opened).isEmpty();
    }

    @Test
    void anApplicationWithAChainBeginsOne() throws Exception {
        at.remote
                .write(
                        "site/app.pipecd.yaml",
                        TriggerStand.VALID
                                + "  postSync: {chain: {applications: [{name: next, kind: ECS, labels: {a: b}}]}}\n")
                .commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.calls)
                .containsExactly(
                        List.of("CreateDeploymentChain", "ReportApplicationMostRecentDeployment"));
        var chain = CreateDeploymentChainRequest.parseFrom(at.chains.getFirst());
        assertThat(chain.getFirstDeployment()).isEqualTo(at.opened.getFirst());
        assertThat(chain.getMatchersList())
                .singleElement()
                .isEqualTo(
                        CreateDeploymentChainRequest.ApplicationMatcher.newBuilder()
                                .setName("next")
                                .setKind("ECS")
                                .putLabels("a", "b")
                                .build());
    }

    @Test
    void aChainDeploysTheHeadInItsBlockAndBeginsNoOtherChain() {
        at.remote
                .write(
                        "site/app.pipecd.yaml",
                        TriggerStand.VALID
                                + "  trigger: {onChain: {disabled: false}}\n  postSync: {chain: {applications: [{name: next}]}}\n")
                .commit("Add the site");
        at.trigger.sync(chainSync());

        assertThat(at.opened)
                .singleElement()
                .satisfies(deployment -> {
                    assertThat(deployment.getDeploymentChainId()).isEqualTo("chain-1");
                    assertThat(deployment.getDeploymentChainBlockIndex()).isEqualTo(2);
                    assertThat(deployment.getTrigger().getCommander()).isEqualTo("chain-1");
                    assertThat(deployment.getStatusReason())
                            .isEqualTo("waiting for block 1 of its deployment chain");
                });
        assertThat(at.calls)
                .containsExactly(
                        List.of(
                                "CreateDeployment",
                                "ReportApplicationMostRecentDeployment",
                                "ReportCommandHandled"));
    }

    @Test
    void anApplicationThatTakesPartInNoChainRefusesWithTheReason() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.sync(chainSync());

        await().atMost(Duration.ofMinutes(1)).until(() -> at.controlPlane.handled.size() == 1);
        assertThat(at.controlPlane.handled.getFirst().getStatus())
                .isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(at.controlPlane.handled.getFirst().getMetadataMap())
                .containsEntry(
                        "Reason",
                        "trigger.onChain.disabled: true (expected: false for a deployment by a chain)");
        assertThat(at.opened).isEmpty();
    }

    @Test
    void anApplicationThatIsDeployedByNoCommandRefusesWithTheReasonAndMissesNoCommit() {
        at.remote
                .write(
                        "site/app.pipecd.yaml",
                        TriggerStand.VALID + "  trigger: {onCommand: {disabled: true}}\n")
                .commit("Add the site");
        at.trigger.sync(TriggerStand.sync("site"));

        await().atMost(Duration.ofMinutes(1)).until(() -> at.controlPlane.handled.size() == 1);
        assertThat(at.controlPlane.handled.getFirst().getStatus())
                .isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(at.controlPlane.handled.getFirst().getMetadataMap())
                .containsEntry(
                        "Reason",
                        "trigger.onCommand.disabled: true (expected: false for a sync by command)");
        assertThat(at.opened).isEmpty();
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened).hasSize(1);
    }

    private static Command chainSync() {
        return Command.newBuilder()
                .setId("c1")
                .setApplicationId("site")
                .setCommander("chain-1")
                .setType(Command.Type.CHAIN_SYNC_APPLICATION)
                .setChainSyncApplication(
                        Command.ChainSyncApplication.newBuilder()
                                .setDeploymentChainId("chain-1")
                                .setBlockIndex(2)
                                .setApplicationId("site"))
                .build();
    }
}
