// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.FakeAgent.Answer;
import dev.pipecd.plugin.testkit.FakeAgent.Planned;
import dev.pipecd.plugin.testkit.StageOrder;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The three plugins in a real host process.
class StagesHostTest {
    @TempDir static Path home;

    private static FakeAgent agent;
    private static HostProcess host;

    @TempDir Path other;

    @BeforeAll
    static void startHost() throws IOException {
        agent = FakeAgent.open(HostProcess.TOKEN);
        host = HostProcess.start(agent, home);
    }

    @AfterAll
    static void endHost() throws InterruptedException {
        host.close();
        agent.close();
    }

    private static StageOrder order(String plugin, String name, String with) {
        return new StageOrder(plugin, "stage-" + plugin, name, 3, with, home);
    }

    @Test
    void eachPluginNamesItsStages() throws Exception {
        assertThat(agent.stages("wait")).containsExactly("WAIT");
        assertThat(agent.stages("waitapproval")).containsExactly("WAIT_APPROVAL");
        assertThat(agent.stages("scriptrun"))
                .containsExactly(
                        "SCRIPT_RUN", "SCRIPT_RUN_ROLLBACK", "CUSTOM_SYNC", "CUSTOM_SYNC_ROLLBACK");
    }

    /// What a script undoes with, CUSTOM_SYNC finds in the files of what runs now. None of them
    /// reads anything to plan.
    @Test
    void eachPluginTellsWhatItsStagesRead() throws Exception {
        agent.heard().awaitPort("wait");
        agent.heard().awaitPort("waitapproval");
        agent.heard().awaitPort("scriptrun");

        assertThat(agent.heard().reads("wait"))
                .isEqualTo(Map.of("", Reads.NOTHING, "WAIT", Reads.NOTHING));
        assertThat(agent.heard().reads("waitapproval"))
                .isEqualTo(Map.of("", Reads.NOTHING, "WAIT_APPROVAL", Reads.NOTHING));
        assertThat(agent.heard().reads("scriptrun"))
                .isEqualTo(
                        Map.of(
                                "", Reads.NOTHING,
                                "SCRIPT_RUN", Reads.TARGET,
                                "SCRIPT_RUN_ROLLBACK", Reads.TARGET,
                                "CUSTOM_SYNC", Reads.TARGET,
                                "CUSTOM_SYNC_ROLLBACK", Reads.EVERYTHING));
    }

    @Test
    void itTellsItsAgentThatItLives() {
        var before = agent.heard().pings();

        await().atMost(Duration.ofMinutes(5)).until(() -> agent.heard().pings() > before);
    }

    @Test
    void aWaitWhoseTimeIsOverEndsAtOnce() throws Exception {
        var answer =
                agent.execute(order("wait", "WAIT", "{\"duration\": \"1h\"}"))
                        .get(5, TimeUnit.MINUTES);

        assertThat(answer).isEqualTo(new Answer("STAGE_SUCCESS", ""));
        assertThat(agent.heard().lines("stage-wait"))
                .hasSize(361)
                .last()
                .isEqualTo("Waited for 1h");
    }

    @Test
    void anApprovalIsNoticed() throws Exception {
        var call =
                agent.execute(order("waitapproval", "WAIT_APPROVAL", "{\"approvers\": [\"ann\"]}"));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> !agent.heard().lines("stage-waitapproval").isEmpty());

        agent.command(
                "stage-waitapproval", new StageCommand("c1", StageCommand.Order.APPROVE, "ann"));

        assertThat(call.get(5, TimeUnit.MINUTES)).isEqualTo(new Answer("STAGE_SUCCESS", ""));
        assertThat(agent.heard().metadata("stage-waitapproval"))
                .containsEntry("pipecd/stage-approved-users", "ann");
    }

    @Test
    void aWaitingStageIsStopped() throws Exception {
        var order =
                new StageOrder(
                        "waitapproval",
                        "stopped",
                        "WAIT_APPROVAL",
                        0,
                        "{\"approvers\": [\"ann\"]}",
                        home);
        var call = agent.execute(order);
        await().atMost(Duration.ofMinutes(5))
                .until(() -> !agent.heard().lines("stopped").isEmpty());

        agent.stop("waitapproval", "stopped", "timed out");

        assertThat(call.get(5, TimeUnit.MINUTES))
                .isEqualTo(new Answer("STAGE_CANCELLED", "timed out"));
    }

    @Test
    void planningNamesWhoMayApprove() throws Exception {
        assertThat(
                        agent.plan(
                                order(
                                        "waitapproval",
                                        "WAIT_APPROVAL",
                                        "{\"approvers\": [\"ann\", \"bob\"]}")))
                .containsExactly(
                        new Planned(
                                "WAIT_APPROVAL",
                                3,
                                false,
                                "MANUAL_OPERATION_APPROVE",
                                List.of("ann", "bob")));
    }

    @Test
    void planningAddsARollbackWhereOneIsWritten() throws Exception {
        assertThat(
                        agent.plan(
                                order(
                                        "scriptrun",
                                        "SCRIPT_RUN",
                                        "{\"run\": \"true\", \"onRollback\": \"true\"}")))
                .containsExactly(
                        new Planned("SCRIPT_RUN", 3, false, "MANUAL_OPERATION_NONE", List.of()),
                        new Planned(
                                "SCRIPT_RUN_ROLLBACK",
                                3,
                                true,
                                "MANUAL_OPERATION_NONE",
                                List.of()));
        assertThat(agent.plan(order("scriptrun", "SCRIPT_RUN", "{\"run\": \"true\"}"))).hasSize(1);
    }

    @Test
    void planningRefusesWrongOptionsAllAtOnce() {
        assertThatThrownBy(() ->
                        agent.plan(
                                order(
                                        "scriptrun",
                                        "SCRIPT_RUN",
                                        "{\"env\": {\"A\": 1}, \"onRollback\": [1]}")))
                .hasMessage(
                        "INVALID_ARGUMENT: stage 3 SCRIPT_RUN: run: missing (expected: text);"
                                + " env.A: 1 (expected: text); onRollback: [1] (expected: text)");
    }

    @Test
    void planningRefusesAStageOfAnotherPlugin() {
        assertThatThrownBy(() -> agent.plan(order("wait", "SCRIPT_RUN", "{}")))
                .hasMessage(
                        "INVALID_ARGUMENT: stage 3 SCRIPT_RUN: stage: \"SCRIPT_RUN\" (expected: one of [WAIT])");
    }

    @Test
    void wrongOptionsAreRefusedAgainWhenTheStageRuns() throws Exception {
        var order = new StageOrder("wait", "wrong", "WAIT", 0, "{\"duration\": \"-1s\"}", home);

        var answer = agent.execute(order).get(5, TimeUnit.MINUTES);

        assertThat(answer)
                .isEqualTo(
                        new Answer(
                                "STAGE_FAILURE",
                                "duration: -1s (expected: > 0). Correct the stage's `with` in the application's file."));
    }

    @Test
    void nobodyWithoutTheTokenComesIn() throws Exception {
        var answer =
                agent.executeWithoutToken(order("wait", "WAIT", "{\"duration\": \"1s\"}"))
                        .get(5, TimeUnit.MINUTES);

        assertThat(answer.status()).isEqualTo("UNAUTHENTICATED");
    }

    @Test
    void aRequestThatBreaksARuleGoesBack() throws Exception {
        var answer =
                agent.execute(new StageOrder("wait", "", "WAIT", 0, "{}", home))
                        .get(5, TimeUnit.MINUTES);

        assertThat(answer.status()).isEqualTo("INVALID_ARGUMENT");
        assertThat(answer.message()).startsWith("invalid request: ");
    }

    @Test
    void anIdThatIsAPathGoesBack() throws Exception {
        var order =
                new StageOrder(
                        "scriptrun", "../../escape", "SCRIPT_RUN", 0, "{\"run\": \"true\"}", home);

        var answer = agent.execute(order).get(5, TimeUnit.MINUTES);

        assertThat(answer)
                .isEqualTo(
                        new Answer(
                                "INVALID_ARGUMENT",
                                "stage: \"../../escape\" (expected: at most 121 letters, digits, dots, dashes, underscores)"));
    }

    @Test
    void onePluginStartedByOurAgentTellsThatItLivesToo() throws Exception {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (var ours = FakeAgent.open(HostProcess.TOKEN);
                var _ =
                        HostProcess.start(
                                other,
                                "start",
                                "--piped-plugin-service",
                                ours.address(),
                                "--config",
                                "{\"name\":\"wait\",\"url\":\"file:///wait\",\"port\":"
                                        + port
                                        + "}")) {
            assertThat(ours.heard().awaitPort("wait")).isEqualTo(port);
            await().atMost(Duration.ofMinutes(5)).until(() -> ours.heard().pings() > 0);
        }
    }

    @Test
    void aPublicAgentStartsOnePluginByItsOwnContract() throws Exception {
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (var publicAgent = FakeAgent.open("");
                var plugin =
                        HostProcess.start(
                                other,
                                "start",
                                "--piped-plugin-service",
                                publicAgent.address(),
                                "--config",
                                "{\"name\":\"wait\",\"url\":\"file:///wait\",\"port\":"
                                        + port
                                        + "}",
                                "--log-level",
                                "info",
                                "--metrics=false")) {
            publicAgent.dialsItself("wait", port);

            await().atMost(Duration.ofMinutes(5))
                    .ignoreExceptions()
                    .until(() -> publicAgent.stages("wait").equals(List.of("WAIT")));
            var call =
                    publicAgent.executeAsPublicAgent(
                            new StageOrder("wait", "s", "WAIT", 0, "{\"duration\":\"1s\"}", home));

            assertThat(call.get(5, TimeUnit.MINUTES)).isEqualTo(new Answer("STAGE_SUCCESS", ""));
            assertThat(publicAgent.heard().pings()).isZero();
            assertThat(plugin.told()).contains("Plugin wait listens on port " + port);
        }
    }
}
