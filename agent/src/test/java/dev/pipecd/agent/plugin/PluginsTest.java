// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the agent asks of plugins.
class PluginsTest {
    @TempDir static Path data;
    static HostInTest host;
    static ExecutorService threads;

    @BeforeAll
    static void setUp() throws InterruptedException {
        threads = Executors.newVirtualThreadPerTaskExecutor();
        host =
                HostInTest.start(
                        data,
                        List.of(
                                HostInTest.plugin("fake", "builtin:fake", "good"),
                                HostInTest.plugin("public", "builtin:absent", "good"),
                                HostInTest.narrow(
                                        HostInTest.plugin("narrow", "builtin:fake", "good"))),
                        FakeHostCommand.get(),
                        HostInTest.QUICK);
        // False: one of them is not offered.
        assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isFalse();
        assertThat(host.plugins().ownersOf("FAKE")).containsExactly("fake", "narrow");
    }

    @AfterAll
    static void tearDown() {
        host.close();
        threads.close();
    }

    @BeforeEach
    void forget() throws IOException {
        for (var name : List.of("finish", "stop", "executed", "broken-off"))
            Files.deleteIfExists(data.resolve("plugin-state").resolve(name));
        host.callbacks().lines.clear();
    }

    @Test
    void aReadyPluginTellsItsStages() {
        assertThat(host.plugins().stagesOf("fake")).containsExactly("FAKE", "FAKE_ROLLBACK");
        assertThat(host.plugins().ownersOf("FAKE")).containsExactly("fake", "narrow");
        assertThat(host.plugins().ownersOf("OTHER")).isEmpty();
        assertThat(host.health())
                .isEqualTo(
                        new PluginHealth(
                                "fake",
                                true,
                                "ready, version 1.2.3, stages [FAKE, FAKE_ROLLBACK]",
                                ""));
    }

    @Test
    void aBuiltInThatDoesNotExistIsToldAndTheOthersRun() {
        assertThat(host.plugins().health().get(1))
                .isEqualTo(
                        new PluginHealth(
                                "public",
                                false,
                                "builtin: \"absent\" (expected: one of fake)",
                                "This version has no such built-in plugin: name a plugin's program in"
                                        + " `url`, or take the entry out. The other plugins run."));
        assertProblem(
                () -> host.plugins().buildQuickSyncStages("public", true),
                Problem.Code.PLUGIN_UNAVAILABLE,
                "plugin public: builtin: \"absent\" (expected: one of fake)"
                        + " (expected: a plugin that answers)");
    }

    @Test
    void anUnknownPluginIsToldWithTheKnownOnes() {
        assertProblem(
                () -> host.plugins().stagesOf("nobody"),
                Problem.Code.PLUGIN_UNKNOWN,
                "plugin: \"nobody\" (expected: one of [fake, public, narrow])");
    }

    @Test
    void stagesArePlannedByThePlugin() throws InterruptedException {
        var planned =
                host.plugins()
                        .buildPipelineSyncStages(
                                "fake",
                                List.of(new StageToPlan("FAKE", "", 3, ByteString.EMPTY)),
                                true);

        assertThat(planned).extracting(PipelineStage::getName).containsExactly("FAKE");
        assertThat(planned).extracting(PipelineStage::getIndex).containsExactly(3);
        assertThat(
                        host.plugins()
                                .determineStrategy(
                                        "fake",
                                        HostInTest.DEPLOYMENT,
                                        HostInTest.TARGET,
                                        Optional.empty()))
                .isEqualTo(new DeterminedStrategy.NoOpinion());
        assertThat(
                        host.plugins()
                                .determineVersions(
                                        "fake",
                                        HostInTest.DEPLOYMENT,
                                        HostInTest.TARGET,
                                        Optional.empty()))
                .isEmpty();
    }

    @Test
    void whatThePluginSaysAboutOptionsComesThrough() {
        var stage = new StageToPlan("FAKE", "", 0, ByteString.copyFromUtf8("bad"));

        assertProblem(
                () -> host.plugins().buildPipelineSyncStages("fake", List.of(stage), true),
                Problem.Code.STAGE_OPTIONS_INVALID,
                "stage 0 FAKE: duration: -1s (expected: > 0)");
    }

    @Test
    void anErrorInsideThePluginIsTold() {
        assertProblem(
                () -> host.plugins().buildQuickSyncStages("fake", true),
                Problem.Code.PLUGIN_UNAVAILABLE,
                "plugin fake: INTERNAL: broken inside (expected: an answer)");
    }

    /// By the same word a connection that breaks is told, and then the call is made again.
    @Test
    void aPluginThatLivesAndSaysItCannotAnswerIsBelieved() throws Exception {
        var stage = new StageToPlan("FAKE", "", 0, ByteString.copyFromUtf8("away"));

        assertProblem(
                () -> host.plugins().buildPipelineSyncStages("fake", List.of(stage), true),
                Problem.Code.PLUGIN_UNAVAILABLE,
                "plugin fake: UNAVAILABLE: the cloud does not answer (expected: an answer)");
        host.finish("away");
        assertThat(host.execute())
                .isEqualTo(new StageAnswer.Failed("plugin fake: the cloud does not answer"));
        assertThat(host.lines("executed")).hasSize(3);
    }

    @Test
    void aStageRunsAndItsPluginCanCallBack() throws Exception {
        var answer = threads.submit(host::execute);
        patiently().until(() -> host.lines("executed").size() == 1);
        host.finish("STAGE_SUCCESS");

        assertThat(answer.get()).isEqualTo(new StageAnswer.Succeeded());
        assertThat(host.callbacks().lines).containsExactly("done", "(completed)");
        assertThat(host.callbacks().values).containsEntry("s1/k", "v");
        assertThat(host.lines("headers")).contains("ExecuteStage true");
    }

    @Test
    void everyWayToEndIsToldWithItsReason() throws Exception {
        host.finish("STAGE_FAILURE page is empty");
        assertThat(host.execute()).isEqualTo(new StageAnswer.Failed("page is empty"));
        forget();
        host.finish("STAGE_SKIPPED nothing new");
        assertThat(host.execute()).isEqualTo(new StageAnswer.Skipped("nothing new"));
        forget();
        host.finish("STAGE_EXITED no changes");
        assertThat(host.execute()).isEqualTo(new StageAnswer.Exited("no changes"));
        forget();
        host.finish("99");
        assertThat(host.execute())
                .isEqualTo(
                        new StageAnswer.Failed(
                                "the plugin answered UNRECOGNIZED (expected: how the stage ended)"));
        forget();
        host.finish("STAGE_RUNNING");
        assertThat(host.execute())
                .isEqualTo(
                        new StageAnswer.Failed(
                                "the plugin answered STAGE_RUNNING (expected: how the stage ended)"));
    }

    @Test
    void aStopReachesThePluginInWords() throws Exception {
        var answer = threads.submit(host::execute);
        patiently().until(() -> host.lines("executed").size() == 1);

        host.plugins().stop("fake", new DeploymentId("d1"), new StageId("s1"), "cancelled by ann");

        assertThat(answer.get()).isEqualTo(new StageAnswer.Stopped("cancelled by ann"));
    }

    @Test
    void aStageWaitsForItsTurnSaysSoAndNeverBeginsWhenItIsStopped() throws Exception {
        var first = threads.submit(() -> narrow("s1"));
        patiently().until(() -> host.lines("executed").size() == 1);
        var second = threads.submit(() -> narrow("s2"));
        patiently()
                .until(() ->
                        host.callbacks()
                                .lines
                                .contains("Waits for its turn: plugin narrow runs 1 stage(s) now"));
        assertThat(host.plugins().figures("narrow")).isEqualTo(new Plugins.Figures(true, 0, 1, 1));

        host.plugins().stop("narrow", new DeploymentId("d1"), new StageId("s2"), "not needed");

        assertThat(second.get()).isEqualTo(new StageAnswer.Stopped("not needed"));
        assertThat(first.get()).isInstanceOf(StageAnswer.Stopped.class);
        assertThat(host.lines("executed")).hasSize(1);
    }

    /// Its place is free for others meanwhile: a rollback may need it.
    @Test
    void aStageThatMayNotSetOutWhenItsTurnComesGivesUpItsPlaceUntilItMay() throws Exception {
        var given = new AtomicBoolean(true);
        var again = new CountDownLatch(1);
        var waits = new AtomicInteger();
        var leave = new Leave(() -> waits.incrementAndGet() == 1 || passed(again), given::get);
        var first = threads.submit(() -> narrow("s1"));
        patiently().until(() -> host.lines("executed").size() == 1);
        var second = threads.submit(() -> narrow("s2", leave));
        patiently().until(() -> host.plugins().figures("narrow").stagesWaiting() == 1);

        given.set(false);
        host.plugins().stop("narrow", new DeploymentId("d1"), new StageId("s1"), "enough");
        assertThat(first.get()).isInstanceOf(StageAnswer.Stopped.class);
        patiently().until(() -> waits.get() == 2);
        assertThat(host.plugins().figures("narrow")).isEqualTo(new Plugins.Figures(true, 0, 0, 0));
        assertThat(host.lines("executed")).hasSize(1);

        Files.deleteIfExists(data.resolve("plugin-state/stop"));
        given.set(true);
        again.countDown();
        host.finish("STAGE_SUCCESS");
        assertThat(second.get()).isEqualTo(new StageAnswer.Succeeded());
        assertThat(host.lines("executed")).hasSize(2);
    }

    private static boolean passed(CountDownLatch latch) throws InterruptedException {
        latch.await();
        return true;
    }

    private static StageAnswer narrow(String stage) throws InterruptedException {
        return narrow(stage, Leave.GIVEN);
    }

    private static StageAnswer narrow(String stage, Leave leave) throws InterruptedException {
        return host.plugins()
                .execute(
                        "narrow",
                        HostInTest.DEPLOYMENT,
                        HostInTest.STAGE.toBuilder()
                                .setId(stage)
                                .putMetadata("pipecd/started-at", "2026-01-01T00:00:00Z")
                                .build(),
                        ByteString.EMPTY,
                        HostInTest.TARGET,
                        Optional.empty(),
                        new Plugins.SettingOut(data.resolve("mark-" + stage), leave));
    }

    @Test
    void anInterruptDetachesWithoutStopping() throws Exception {
        var detached = new CountDownLatch(1);
        var caller =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                host.execute();
                            } catch (InterruptedException e) {
                                detached.countDown();
                            }
                        });
        patiently().until(() -> host.lines("executed").size() == 1);

        caller.interrupt();

        detached.await();
        patiently().until(() -> host.lines("broken-off").size() == 1);
        assertThat(data.resolve("plugin-state/stop")).doesNotExist();
    }

    @Test
    void aRequestOverFourMegabytesIsRefusedInWords() throws Exception {
        var large = Deployment.newBuilder().setId("d1").setSummary("x".repeat(5 << 20)).build();

        assertThatThrownBy(() ->
                        host.plugins()
                                .execute(
                                        "fake",
                                        large,
                                        HostInTest.STAGE,
                                        ByteString.EMPTY,
                                        HostInTest.TARGET,
                                        Optional.empty(),
                                        new Plugins.SettingOut(
                                                data.resolve("mark-large"), Leave.GIVEN)))
                .isInstanceOf(Problem.class)
                .hasMessageMatching(
                        "request to plugin fake: \\d+ bytes \\(expected: at most 4194304\\)");
    }

    @Test
    void theHostsConfigurationIsNotInItsCommandLine() {
        assertThat(ProcessHandle.of(host.pid()).orElseThrow().info().commandLine().orElse(""))
                .doesNotContain("behaviour");
    }

    @Test
    void anAnswerThatIsTooLargeIsToldAndThePluginLivesOn() throws Exception {
        var stage = new StageToPlan("FAKE", "", 0, ByteString.copyFromUtf8("huge"));

        assertProblem(
                () -> host.plugins().buildPipelineSyncStages("fake", List.of(stage), true),
                Problem.Code.PLUGIN_UNAVAILABLE,
                "plugin fake: RESOURCE_EXHAUSTED: gRPC message exceeds maximum size 4194304: 5242890"
                        + " (expected: an answer)");
        assertThat(host.plugins().figures("fake").ends()).isZero();
    }

    @Test
    void versionsThatCannotBeToldKeepNothingFromBeingDeployed() throws Exception {
        var unknown = HostInTest.DEPLOYMENT.toBuilder().setSummary("no versions").build();

        assertThat(
                        host.plugins()
                                .determineVersions(
                                        "fake", unknown, HostInTest.TARGET, Optional.empty()))
                .isEmpty();
    }

    private static void assertProblem(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call,
            Problem.Code code,
            String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message()).isEqualTo(message);
                            assertThat(p.code()).isEqualTo(code);
                        });
    }
}
