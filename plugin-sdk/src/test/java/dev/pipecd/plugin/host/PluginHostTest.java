// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.stage.NoOptions;
import dev.pipecd.plugin.stage.Severity;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.stage.TargetResult;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.FakeAgent.Answer;
import dev.pipecd.plugin.testkit.StageOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Stages of every kind in a host inside this process, over the real protocol.
class PluginHostTest {
    record None() {}

    @TempDir Path home;

    private FakeAgent agent;
    private volatile Duration later = Duration.ZERO;
    private Stage.Work<None> work = _ -> new StageOutcome.Succeeded();

    @BeforeEach
    void openAgent() throws Exception {
        agent = FakeAgent.open("secret");
    }

    @AfterEach
    void closeAgent() {
        agent.close();
    }

    private PluginHost host(StageOwner plugin) throws Exception {
        return host(plugin, "test");
    }

    private PluginHost host(StageOwner plugin, String builtin) throws Exception {
        agent.heard().forgetPorts();
        var config = home.resolve("plugins.json");
        Files.writeString(
                config,
                """
                {"token": "secret", "stateDirectory": "%s", "plugins": [{"name": "own", "builtin": "%s", "config": {}, "deployTargets": [{"name": "berlin", "config": {}}]},
                {"name": "absent", "builtin": "kubernetes"}]}
                """
                        .formatted(home.resolve("state"), builtin));
        return PluginHost.open(
                List.of(
                        "host",
                        "--piped-plugin-service",
                        agent.address(),
                        "--config-file",
                        config.toString()),
                List.of(plugin),
                () -> InstantSource.system().instant().plus(later));
    }

    private PluginHost host() throws Exception {
        return host(StagePlugin.named("test", Stage.of("TEST", None.class, run -> work.run(run))));
    }

    private Future<Answer> call() {
        return call("stage-1");
    }

    private Future<Answer> call(String stage) {
        return agent.execute(new StageOrder("own", stage, "TEST", 0, "{}", home));
    }

    private static Answer end(Future<Answer> call) throws Exception {
        return call.get(5, TimeUnit.MINUTES);
    }

    private List<String> lines() {
        return agent.heard().lines("stage-1");
    }

    @Test
    void aPluginItDoesNotHaveIsToldAndTheOthersAreServed() throws Exception {
        try (var _ = host()) {
            assertThat(agent.heard().awaitPort("own")).isPositive();
            assertThat(agent.heard().notOffered())
                    .containsExactly(Map.entry("absent", "kubernetes"));
        }
    }

    @Test
    void aPluginIsFoundByItsOtherSpellings() throws Exception {
        var approval = StagePlugin.named("waitapproval", Stage.of("TEST", None.class, work));
        for (var spelling : List.of("wait_approval", "wait-approval", "WaitApproval_plugin"))
            try (var _ = host(approval, spelling)) {
                assertThat(agent.heard().awaitPort("own")).as(spelling).isPositive();
            }
    }

    @Test
    void linesCarryTheirTargetAndAreNeverEmptyNorTooLong() throws Exception {
        work =
                run -> {
                    run.log("berlin", "up");
                    run.log(Severity.ERROR, "rome", "down");
                    run.log("");
                    run.log("a\n\nb");
                    run.log("ä".repeat(20_000));
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host()) {
            end(call());
        }

        assertThat(lines())
                .containsExactly(
                        "[berlin] up",
                        "[rome] down",
                        " ",
                        "a",
                        " ",
                        "b",
                        "ä".repeat(16_384),
                        "ä".repeat(20_000 - 16_384));
    }

    @Test
    void linesWaitForAnAgentThatDoesNotTakeThem() throws Exception {
        work =
                run -> {
                    for (int n = 0; n < 1000; n++) run.log("line " + n);
                    return new StageOutcome.Succeeded();
                };
        agent.heard().deaf(true);
        try (var _ = host()) {
            var call = call();
            await().atMost(Duration.ofMinutes(5)).until(() -> agent.heard().missed() > 2);
            assertThat(call.isDone()).isFalse();

            agent.heard().deaf(false);

            assertThat(end(call).status()).isEqualTo("STAGE_SUCCESS");
        }
        assertThat(lines()).hasSize(1000).last().isEqualTo("line 999");
        assertThat(agent.heard().complete("stage-1")).isTrue();
    }

    @Test
    void anOrderIsFoundThoughTheAgentWasAwayMeanwhile() throws Exception {
        work = run -> new StageOutcome.Skipped("ordered by " + run.awaitCommand().person());
        agent.heard().deaf(true);
        try (var _ = host()) {
            var call = call();
            await().atMost(Duration.ofMinutes(5)).until(() -> agent.heard().missed() > 2);
            agent.command("stage-1", new StageCommand("c1", StageCommand.Order.SKIP, "ann"));

            agent.heard().deaf(false);

            assertThat(end(call)).isEqualTo(new Answer("STAGE_SKIPPED", "ordered by ann"));
        }
    }

    @Test
    void whoWaitsForOrdersAsksOnceForEach() throws Exception {
        work =
                run -> {
                    run.log("first by " + run.awaitCommand().person());
                    run.log("second by " + run.awaitCommand().person());
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host()) {
            var call = call();
            staysAsked(1);

            agent.command("stage-1", new StageCommand("c1", StageCommand.Order.APPROVE, "ann"));
            staysAsked(2);
            agent.command("stage-1", new StageCommand("c2", StageCommand.Order.APPROVE, "bob"));

            assertThat(end(call).status()).isEqualTo("STAGE_SUCCESS");
        }
        assertThat(lines()).containsExactly("first by ann", "second by bob");
    }

    private void staysAsked(int times) {
        await().during(Duration.ofSeconds(1))
                .atMost(Duration.ofMinutes(1))
                .until(() -> agent.heard().askedForCommandsOf("stage-1") == times);
    }

    @Test
    void whyTheAgentCannotInstallAToolIsToldByTheStage() throws Exception {
        work =
                run -> {
                    var _ = run.tool("no-such-tool", "1.0", "exit 3");
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host()) {
            assertThat(end(call()))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "agent: FAILED_PRECONDITION: tool: no-such-tool 1.0 cannot be installed (expected:"
                                            + " a program of that name on the PATH) (expected: an answer)."
                                            + " See the agent's log; the stage can be run again."));
        }
    }

    @Test
    void resultsOfTargetsAreKeptAndSummedUp() throws Exception {
        var results =
                List.of(
                        new TargetResult("berlin", TargetResult.Result.SUCCEEDED, ""),
                        new TargetResult("rome", TargetResult.Result.FAILED, "no route"));
        work = _ -> new StageOutcome.Failed("not everywhere", results);
        try (var _ = host()) {
            assertThat(end(call()))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "not everywhere; 1 of 2 targets succeeded: rome failed (no route)"));
        }

        assertThat(agent.heard().metadata("stage-1"))
                .containsEntry(
                        "pipecd/targets",
                        "[{\"target\":\"berlin\",\"result\":\"succeeded\",\"message\":\"\"},"
                                + "{\"target\":\"rome\",\"result\":\"failed\",\"message\":\"no route\"}]");
    }

    @Test
    void whatDeploysAndIsGivenNoTargetFailsInsteadOfChangingNothing() throws Exception {
        var begun = new AtomicBoolean();
        var sync =
                Stage.of(
                        "TEST",
                        None.class,
                        _ -> {
                            begun.set(true);
                            return new StageOutcome.Succeeded();
                        });
        DeploymentPlugin plugin =
                new DeploymentPlugin() {
                    @Override
                    public String name() {
                        return "test";
                    }

                    @Override
                    public Stage<?> quickSync() {
                        return sync;
                    }

                    @Override
                    public Stage<NoOptions> rollback() {
                        return Stage.of("BACK", NoOptions.class, _ -> new StageOutcome.Succeeded());
                    }
                };
        try (var _ = host(plugin)) {
            assertThat(end(call()))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "deploy targets of own: none (expected: at least one)."
                                            + " Name the application's deploy targets as the agent's `plugins:` does."));
        }
        assertThat(begun).isFalse();
    }

    @Test
    void aStageThatHadNoTargetHasFailed() throws Exception {
        work = _ -> StageOutcome.of(List.of());
        try (var _ = host()) {
            assertThat(end(call()))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "there was no target to change (expected: at least one)"));
        }
    }

    @Test
    void aStageThatThrowsFailsAndTheHostGoesOn() throws Exception {
        work =
                _ -> {
                    throw new IllegalStateException("a secret detail");
                };
        try (var _ = host()) {
            assertThat(end(call()))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "the plugin broke: IllegalStateException. See the plugin host's log."));
            assertThat(agent.stages("own")).containsExactly("TEST");
        }
    }

    @Test
    void everyWayToEndHasItsStatus() throws Exception {
        try (var _ = host()) {
            work = _ -> new StageOutcome.Skipped("nothing to do");
            assertThat(end(call())).isEqualTo(new Answer("STAGE_SKIPPED", "nothing to do"));
            work = _ -> new StageOutcome.Exited("good enough");
            assertThat(end(call())).isEqualTo(new Answer("STAGE_EXITED", "good enough"));
        }
    }

    @Test
    void aCheckpointIsWhereTheNextCallStarts() throws Exception {
        var reached = new CountDownLatch(1);
        work =
                run -> {
                    run.log("before");
                    run.checkpoint("half way");
                    run.log("after");
                    run.awaitLinesTaken();
                    reached.countDown();
                    run.sleepUntil(Instant.MAX);
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host()) {
            var _ = call();
            assertThat(reached.await(5, TimeUnit.MINUTES)).isTrue();
        }
        work =
                run -> {
                    run.log(
                            run.resumed() && run.checkpoint().equals(Optional.of("half way"))
                                    ? "after"
                                    : "lost");
                    run.log("end");
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host()) {
            end(call());
        }

        assertThat(lines()).containsExactly("before", "after", "end");
        assertThat(agent.heard().contradictions()).isEmpty();
    }

    @Test
    void aFirstCallIsNotResumedAndStartedWhenTheAgentSays() throws Exception {
        work =
                run -> {
                    run.log(
                            run.resumed()
                                    + " "
                                    + run.startedAt()
                                    + " "
                                    + run.checkpoint().isPresent());
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host()) {
            end(call());
        }

        assertThat(lines()).containsExactly("false 2026-01-31T12:00:00Z false");
    }

    @Test
    void aHostThatLeavesIsNotAStopOrder() throws Exception {
        var asked = new CountDownLatch(1);
        var ordered = new boolean[1];
        work =
                run -> {
                    try {
                        run.log("begun");
                        run.sleepUntil(Instant.MAX);
                        return new StageOutcome.Succeeded();
                    } catch (InterruptedException e) {
                        ordered[0] = run.stopOrdered();
                        asked.countDown();
                        throw e;
                    }
                };
        try (var _ = host()) {
            var _ = call();
            await().atMost(Duration.ofMinutes(5)).until(() -> lines().contains("begun"));
        }

        assertThat(asked.await(5, TimeUnit.MINUTES)).isTrue();
        assertThat(ordered[0]).isFalse();
        assertThat(agent.heard().complete("stage-1")).isFalse();
    }

    @Test
    void whatEndedAWeekAgoIsRemoved() throws Exception {
        var state = home.resolve("state/own");
        try (var _ = host()) {
            end(call());
        }
        assertThat(state.resolve("deployment-1+stage-1.ended")).exists();
        Files.createDirectories(state.resolve("deployment-1+stage-2"));

        Files.setLastModifiedTime(
                state.resolve("deployment-1+stage-1.ended"),
                FileTime.from(InstantSource.system().instant().minus(Duration.ofDays(8))));
        try (var _ = host()) {
            assertThat(state.resolve("deployment-1+stage-1")).doesNotExist();
            assertThat(state.resolve("deployment-1+stage-2")).exists();
        }
    }

    @Test
    void whatEndedAWeekAgoIsRemovedWhileTheHostStays() throws Exception {
        var state = home.resolve("state/own");
        try (var _ = host()) {
            end(call("stage-1"));
            later = Duration.ofDays(6);
            end(call("stage-2"));
            assertThat(state.resolve("deployment-1+stage-1.ended")).exists();

            later = Duration.ofDays(8);
            end(call("stage-3"));

            await().atMost(Duration.ofMinutes(5))
                    .until(() -> Files.notExists(state.resolve("deployment-1+stage-1")));
            assertThat(state.resolve("deployment-1+stage-2.ended")).exists();
            assertThat(state.resolve("deployment-1+stage-3.ended")).exists();
        }
    }
}
