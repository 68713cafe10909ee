// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.role.Served;
import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.stage.NoOptions;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.stage.StageRun;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.FakeAgent.Answer;
import dev.pipecd.plugin.testkit.StageOrder;
import dev.pipecd.plugin.testkit.TestRun;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What stages say they read of the sources, and what becomes of those who read more.
class ReadsTest {
    private static final String NOTHING_READ =
            "source: asked for by TEST, which says it reads NOTHING (expected: a stage that says by `reading` all it reads)";
    private static final String TARGET_READ =
            "running source: asked for by TEST, which says it reads TARGET (expected: a stage that says by `reading` all it reads)";
    private static final String TELL = ". This is a fault of the plugin: tell its author.";

    @TempDir Path home;

    private FakeAgent agent;

    @BeforeEach
    void openAgent() throws Exception {
        agent = FakeAgent.open("secret");
    }

    @AfterEach
    void closeAgent() {
        agent.close();
    }

    @Test
    void aPluginThatIsReadyTellsWhatEachOfItsStagesAndItsPlanningRead() throws Exception {
        var undo = stage("UNDO").reading(Reads.NOTHING);
        var plugin =
                StagePlugin.named(
                        "test",
                        stage("SILENT"),
                        stage("DO").undoneBy(undo, _ -> true).reading(Reads.TARGET));
        try (var _ = host(plugin)) {
            agent.heard().awaitPort("own");

            assertThat(agent.heard().reads("own"))
                    .isEqualTo(
                            Map.of(
                                    "", Reads.NOTHING,
                                    "SILENT", Reads.EVERYTHING,
                                    "DO", Reads.TARGET,
                                    "UNDO", Reads.NOTHING));
        }
    }

    @Test
    void soDoesOneThatDeploysOfItsQuickSyncAndItsRollback() throws Exception {
        try (var _ = host(new Cloud())) {
            agent.heard().awaitPort("own");

            assertThat(agent.heard().reads("own"))
                    .isEqualTo(
                            Map.of(
                                    "", Reads.EVERYTHING,
                                    "SYNC", Reads.TARGET,
                                    "ROLLBACK", Reads.NOTHING));
        }
    }

    @Test
    void aStageRunsWithoutTheFilesItDoesNotRead() throws Exception {
        var nothing = stage("TEST").reading(Reads.NOTHING);

        assertThat(answerOf(nothing, home)).isEqualTo(new Answer("STAGE_SUCCESS", ""));
    }

    @Test
    void aStageThatReadsNothingAndAsksForItsFilesFailsWithThatReason() throws Exception {
        var asks = asking(run -> run.applicationDirectory()).reading(Reads.NOTHING);

        assertThat(answerOf(asks, home))
                .isEqualTo(new Answer("STAGE_FAILURE", NOTHING_READ + TELL));
        assertThat(agent.heard().lines("stage-1")).containsExactly(NOTHING_READ + TELL);
    }

    /// Also before there is anything that runs: it would break with the second deployment.
    @Test
    void aStageThatReadsItsTargetAndAsksForWhatRunsNowFailsOnAFirstDeployment() throws Exception {
        var asks = asking(run -> run.runningSource()).reading(Reads.TARGET);

        assertThat(answerOf(asks, home)).isEqualTo(new Answer("STAGE_FAILURE", TARGET_READ + TELL));
    }

    @Test
    void aStageThatReadsItsTargetGetsIt() throws Exception {
        var asks =
                asking(run -> run.log(run.applicationDirectory().toString())).reading(Reads.TARGET);

        assertThat(answerOf(asks, home)).isEqualTo(new Answer("STAGE_SUCCESS", ""));
        assertThat(agent.heard().lines("stage-1")).containsExactly(home.toString());
    }

    /// An empty path would be wherever the plugin was started.
    @Test
    void filesThatWereLaidOutForAPluginThatReadLessAreNotLookedForElsewhere() throws Exception {
        var asks = asking(run -> run.applicationDirectory());

        assertThat(answerOf(asks, Path.of("")))
                .isEqualTo(
                        new Answer(
                                "STAGE_FAILURE",
                                "files of commit 0123abcd: not laid out by the agent (expected: a folder). Sync again: plugin own was replaced by one that reads more."));
    }

    @Test
    void whatRunsNowIsNotTakenForAFirstDeploymentWhenItsFilesAreNotLaidOut() {
        var served =
                new Served(
                        StagePlugin.named("test"),
                        "own",
                        List.of(),
                        _ -> {
                            throw new IllegalStateException("nothing is asked around here");
                        });
        var named = DeploymentSource.newBuilder().setCommitHash("89ab0123").build();

        var running = served.running(named).orElseThrow();

        assertThat(running.commit()).isEqualTo("89ab0123");
        assertThatThrownBy(running::directory).isInstanceOf(Problem.class);
        assertThatThrownBy(running::sharedDirectory).isInstanceOf(Problem.class);
        assertThat(served.running(DeploymentSource.getDefaultInstance())).isEmpty();
    }

    @Test
    void theTestKitRefusesWhatAnAgentWould() {
        var target = TestRun.of(stage("TEST").reading(Reads.TARGET), "{}", home);
        var nothing = TestRun.of(stage("TEST").reading(Reads.NOTHING), "{}", home);

        assertThat(target.applicationDirectory()).isEqualTo(home);
        assertThatThrownBy(target::runningSource).hasMessage(TARGET_READ);
        assertThatThrownBy(nothing::applicationDirectory).hasMessage(NOTHING_READ);
        assertThatThrownBy(nothing::runningApplicationDirectory)
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("running source: ");
        assertThat(TestRun.of(stage("TEST"), "{}", home).runningSource()).isEmpty();
    }

    @Test
    void whatIsSaidOfAStageAfterwardsDoesNotChangeWhatItReads() {
        var stage =
                stage("TEST")
                        .reading(Reads.NOTHING)
                        .undoneBy(stage("UNDO"), _ -> true)
                        .approvedBy(_ -> List.of("ann"));

        assertThat(stage.reads()).isEqualTo(Reads.NOTHING);
        assertThat(stage.reading(Reads.TARGET).rollbacks()).isEqualTo(stage.rollbacks());
        assertThat(stage.reading(Reads.TARGET).approvable()).isTrue();
        assertThat(stage.rollbacks().getFirst().stage().reads()).isEqualTo(Reads.EVERYTHING);
    }

    private static Stage<NoOptions> stage(String name) {
        return Stage.of(name, NoOptions.class, _ -> new StageOutcome.Succeeded());
    }

    private interface Asking {
        void ask(StageRun<NoOptions> run);
    }

    private static Stage<NoOptions> asking(Asking asking) {
        return Stage.of(
                "TEST",
                NoOptions.class,
                run -> {
                    asking.ask(run);
                    return new StageOutcome.Succeeded();
                });
    }

    private Answer answerOf(Stage<NoOptions> stage, Path files) throws Exception {
        try (var _ = host(StagePlugin.named("test", stage))) {
            var order = new StageOrder("own", "stage-1", "TEST", 0, "{}", files);
            return agent.execute(order).get(5, TimeUnit.MINUTES);
        }
    }

    private PluginHost host(StageOwner plugin) throws Exception {
        var config = home.resolve("plugins.json");
        Files.writeString(
                config,
                """
                {"token": "secret", "stateDirectory": "%s", "plugins": [{"name": "own", "builtin": "%s"}]}
                """
                        .formatted(home.resolve("state"), plugin.name()));
        return PluginHost.open(
                List.of(
                        "host",
                        "--piped-plugin-service",
                        agent.address(),
                        "--config-file",
                        config.toString()),
                List.of(plugin),
                InstantSource.system());
    }

    private static final class Cloud implements DeploymentPlugin {
        @Override
        public String name() {
            return "cloud";
        }

        @Override
        public Stage<?> quickSync() {
            return stage("SYNC").reading(Reads.TARGET);
        }

        @Override
        public Stage<NoOptions> rollback() {
            return stage("ROLLBACK").reading(Reads.NOTHING);
        }
    }
}
