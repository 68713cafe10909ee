// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.run.PluginStages;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is laid out for a stage is what its plugin, a real process, says that it reads.
final class NeededTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");
    private static final PipelineStage ROLLBACK =
            HostInTest.STAGE.toBuilder()
                    .setId("s2")
                    .setName("FAKE_ROLLBACK")
                    .setRollback(true)
                    .build();

    @TempDir Path data;
    @TempDir Path elsewhere;

    private GitRemote remote;
    private Repositories repositories;
    private Deployment deployment;

    @BeforeEach
    void commitTwice() throws Exception {
        remote = GitRemote.init(Files.createDirectories(elsewhere.resolve("remote")));
        var running = remote.write("site/app.pipecd.yaml", application("old")).commit("begin");
        var target = remote.write("site/app.pipecd.yaml", application("new")).commit("go on");
        repositories =
                new Repositories(
                        elsewhere.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(elsewhere.resolve("git"))),
                        InstantSource.system());
        repositories.fetch(DEMO);
        deployment = deployment(target, running);
    }

    @AfterEach
    void close() {
        repositories.close();
    }

    @Test
    void aStageThatReadsNothingIsToldOfBothCommitsAndGetsNoFolder() throws Exception {
        var given = givenTo(HostInTest.plugin("fake", "builtin:fake", "reads 2"), HostInTest.STAGE);

        assertNamed(given.getTargetDeploymentSource(), target(), "new");
        assertNamed(given.getRunningDeploymentSource(), deployment.getRunningCommitHash(), "old");
        assertThat(place()).isDirectoryNotContaining(Files::isDirectory);
        assertThat(place().resolve("s1.owner")).hasContent("fake");
    }

    @Test
    void aStageThatReadsItsTargetGetsNoFolderOfWhatRunsNow() throws Exception {
        var given = givenTo(HostInTest.plugin("fake", "builtin:fake", "reads 1"), HostInTest.STAGE);

        assertLaidOut(given.getTargetDeploymentSource(), target(), "new");
        assertNamed(given.getRunningDeploymentSource(), deployment.getRunningCommitHash(), "old");
        assertThat(place()).isDirectoryContaining("glob:**/s1.target-*");
        assertThat(place()).isDirectoryNotContaining("glob:**/s1.running-*");
    }

    @Test
    void aStageOfAPluginInAHostOfItsOwnGetsWhatItReadsToo() throws Exception {
        var plugin = HostInTest.isolated(HostInTest.plugin("fake", "builtin:fake", "reads 2"));

        var given = givenTo(plugin, HostInTest.STAGE);

        assertNamed(given.getTargetDeploymentSource(), target(), "new");
    }

    @Test
    void aRollbackStageOfWhichNothingIsSaidGetsEverything() throws Exception {
        assertAllGiven(givenTo(HostInTest.plugin("fake", "builtin:fake", "reads 2"), ROLLBACK));
    }

    @Test
    void aStageThatReadsNothingNeedsNoServerForWhatRuns() throws Exception {
        deployment = deployment(target(), "1".repeat(40));
        Files.move(elsewhere.resolve("remote"), elsewhere.resolve("away"));

        var given = givenTo(HostInTest.plugin("fake", "builtin:fake", "reads 2"), HostInTest.STAGE);

        assertNamed(given.getTargetDeploymentSource(), target(), "new");
        assertThat(given.hasRunningDeploymentSource()).isFalse();
    }

    /// A baseline, which is deployed from it, would silently be less than what ran before.
    @Test
    void aStageIsRunWithoutWhatRunsIfTheServerOfASubmoduleOfItIsGone() throws Exception {
        runsWithSubmoduleOfNobody();

        var given = givenTo(HostInTest.plugin("fake", "builtin:fake", "good"), HostInTest.STAGE);

        assertLaidOut(given.getTargetDeploymentSource(), target(), "newer");
        assertThat(given.hasRunningDeploymentSource()).isFalse();
    }

    @Test
    void aStageThatFailsWithoutWhatRunsTellsWhyItHadNone() throws Exception {
        runsWithSubmoduleOfNobody();

        try (var host = start(HostInTest.plugin("fake", "builtin:fake", "good"))) {
            assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
            host.finish("STAGE_FAILURE nothing runs yet");

            assertThat(stages(host.plugins()).run(deployment, HostInTest.STAGE, Leave.GIVEN))
                    .asInstanceOf(InstanceOfAssertFactories.type(StageResult.Failed.class))
                    .extracting(StageResult.Failed::reason, InstanceOfAssertFactories.STRING)
                    .startsWith(
                            "nothing runs yet; it was not given what runs now: submodule \"site/lib\" of repository demo: ");
        }
    }

    @Test
    void aRollbackStageFailsThenRatherThanDeployLessThanRanBefore() {
        runsWithSubmoduleOfNobody();

        assertThatThrownBy(
                        () -> givenTo(HostInTest.plugin("fake", "builtin:fake", "good"), ROLLBACK))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith(
                        "submodule \"site/lib\" of repository demo: its repository: file:");
    }

    private void runsWithSubmoduleOfNobody() {
        var running = remote.link("site/lib", "../gone", "1".repeat(40));
        var target = remote.write("site/app.pipecd.yaml", application("newer")).commit("go on");
        repositories.fetch(DEMO);
        deployment = deployment(target, running);
    }

    @Test
    void aStageThatReadsWhatOnlyANewerAgentKnowsGetsEverything() throws Exception {
        assertAllGiven(
                givenTo(HostInTest.plugin("fake", "builtin:fake", "reads 99"), HostInTest.STAGE));
    }

    @Test
    void aStageOfAPluginOfSomebodyElseGetsEverything() throws Exception {
        assertAllGiven(givenTo(HostInTest.other(data, "fake", "good"), HostInTest.STAGE));
    }

    @Test
    void whatAPluginThatEndedHasReadSaysNothingOfTheNextOne() throws Exception {
        try (var host = start(HostInTest.other(data, "fake", "reads 2"))) {
            patiently()
                    .until(
                            () -> host.plugins().needed("fake", "FAKE"),
                            new Needed(false, false)::equals);

            new ProcessBuilder("kill", "-KILL", host.pid() + "").start().waitFor();

            patiently().until(() -> host.lines("starts").size() == 2 && host.health().ok());
            assertThat(host.plugins().needed("fake", "FAKE")).isEqualTo(Needed.ALL);
        }
    }

    /// One that was given up is mended by another program while a stage waits for hours.
    @Test
    void whatIsReadMoreByTheTimeOfItsTurnIsLaidOutThen() throws Exception {
        try (var host = start(HostInTest.other(data, "fake", "reads 2"))) {
            patiently()
                    .until(
                            () -> host.plugins().needed("fake", "FAKE"),
                            new Needed(false, false)::equals);
            var passed = new CountDownLatch(1);
            var waiting = new Leave(() -> passes(passed), () -> true);
            var result = new AtomicReference<StageResult>();
            var stage = Thread.startVirtualThread(() -> result.set(run(host, waiting)));
            patiently().until(() -> Files.exists(place().resolve("s1.owner")));

            new ProcessBuilder("kill", "-KILL", host.pid() + "").start().waitFor();
            patiently().until(() -> host.lines("starts").size() == 2 && host.health().ok());
            host.finish("STAGE_SUCCESS");
            passed.countDown();
            stage.join();

            assertThat(result.get()).isEqualTo(new StageResult.Succeeded());
        }
        assertAllGiven(lastGiven());
    }

    private static boolean passes(CountDownLatch latch) throws InterruptedException {
        latch.await();
        return true;
    }

    private StageResult run(HostInTest host, Leave leave) {
        try {
            return stages(host.plugins()).run(deployment, HostInTest.STAGE, leave);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aStageThatGotNoFolderIsKeptThroughACrashAndLeavesNothing() throws Exception {
        givenTo(HostInTest.plugin("fake", "builtin:fake", "reads 2"), HostInTest.STAGE);
        // As an agent leaves it that is killed before the owner's name has its own.
        Files.move(place().resolve("s1.owner"), place().resolve("s1.owner.half"));

        var next = sources();

        assertThat(next.knownOwner(deployment, HostInTest.STAGE)).isEmpty();
        next.noteOwner(deployment, HostInTest.STAGE, "fake");
        assertThat(next.knownOwner(deployment, HostInTest.STAGE)).hasValue("fake");
        next.remove(deployment);
        assertThat(elsewhere.resolve("work")).isEmptyDirectory();
    }

    @Test
    void whoseItWasWhenItWasPlannedIsNotWrittenDownOnceMore() {
        var planned = HostInTest.STAGE.toBuilder();
        PlannedOwner.keep(planned, "fake");
        var sources = sources();

        sources.noteOwner(deployment, planned.build(), "fake");
        assertThat(place()).doesNotExist();
        sources.noteOwner(deployment, planned.build(), "other");
        assertThat(sources.knownOwner(deployment, planned.build())).hasValue("other");
        sources.noteOwner(deployment, planned.build(), "fake");

        assertThat(sources.knownOwner(deployment, planned.build())).isEmpty();
    }

    private void assertAllGiven(ExecutePluginInput given) {
        assertLaidOut(given.getTargetDeploymentSource(), target(), "new");
        assertLaidOut(given.getRunningDeploymentSource(), deployment.getRunningCommitHash(), "old");
    }

    private static void assertLaidOut(DeploymentSource source, String commit, String name) {
        assertThat(Path.of(source.getApplicationDirectory()).resolve("app.pipecd.yaml"))
                .hasContent(application(name));
        assertThat(source.getSharedConfigDirectory()).isNotEmpty();
        assertTold(source, commit, name);
    }

    private static void assertNamed(DeploymentSource source, String commit, String name) {
        assertThat(source.getApplicationDirectory()).isEmpty();
        assertThat(source.getSharedConfigDirectory()).isEmpty();
        assertTold(source, commit, name);
    }

    private static void assertTold(DeploymentSource source, String commit, String name) {
        assertThat(source.getCommitHash()).isEqualTo(commit);
        assertThat(source.getApplicationConfigFilename()).isEqualTo("app.pipecd.yaml");
        assertThat(source.getApplicationConfig().toStringUtf8()).isEqualTo(application(name));
    }

    private ExecutePluginInput givenTo(PipedConfig.Plugin plugin, PipelineStage stage)
            throws Exception {
        try (var host = start(plugin)) {
            assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
            host.finish("STAGE_SUCCESS");

            assertThat(stages(host.plugins()).run(deployment, stage, Leave.GIVEN))
                    .isEqualTo(new StageResult.Succeeded());
        }
        return lastGiven();
    }

    private ExecutePluginInput lastGiven() throws IOException {
        var request = Files.readAllBytes(data.resolve("plugin-state/request"));
        return ExecuteStageRequest.parseFrom(request).getInput();
    }

    private HostInTest start(PipedConfig.Plugin plugin) {
        return HostInTest.start(data, List.of(plugin), FakeHostCommand.get(), HostInTest.QUICK);
    }

    private PluginStages stages(Plugins plugins) {
        return new PluginStages(
                new ApplicationFiles(repositories), sources(), plugins, repositories);
    }

    /// As a new life of the agent finds them.
    private Sources sources() {
        return new Sources(
                repositories,
                new ApplicationFiles(repositories),
                elsewhere.resolve("work"),
                new Unsealing(new Secrets(new SecretManagement.Unset())),
                Set.of(new DeploymentId("d1")));
    }

    private Path place() {
        return elsewhere.resolve("work/d1");
    }

    private String target() {
        return deployment.getTrigger().getCommit().getHash();
    }

    private static String application(String name) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: Application
        spec:
          name: %s
          pipeline: {stages: [{name: FAKE}]}
        """
                .formatted(name);
    }

    private static Deployment deployment(String target, String running) {
        return HostInTest.DEPLOYMENT.toBuilder()
                .setRunningCommitHash(running)
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId(DEMO.value()))
                                .setPath("site")
                                .setConfigFilename("app.pipecd.yaml"))
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setSyncStrategy(SyncStrategy.PIPELINE)
                                .setCommit(Commit.newBuilder().setHash(target)))
                .build();
    }
}
