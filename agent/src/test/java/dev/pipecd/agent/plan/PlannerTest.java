// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.pipecd.agent.plugin.DeterminedStrategy;
import dev.pipecd.agent.plugin.Needed;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.model.SyncStrategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlannerTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");
    private static final String HEADER =
            "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec:\n  name: site\n";
    private static final String PIPELINE =
            HEADER
                    + """
                      timeout: 2h
                      pipeline:
                        stages:
                          - {name: WAIT, timeout: 1m}
                          - {name: SYNC, timeout: 3m}
                    """;

    @TempDir Path directory;

    private final ScriptedAdvice advice = new ScriptedAdvice();
    private GitRemote remote;
    private Repositories repositories;
    private Applications applications;
    private Planner planner;

    @BeforeEach
    void start() throws Exception {
        remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        InstantSource.system());
        applications = new Applications(directory.resolve("applications"));
        applications.refresh(List.of(application()));
        planner = planner(advice);
    }

    private Planner planner(Advice asked) {
        var files = new ApplicationFiles(repositories);
        var ids = new AtomicInteger();
        return new Planner(
                files,
                new Sources(
                        repositories,
                        files,
                        directory.resolve("work"),
                        new Unsealing(new Secrets(new SecretManagement.Unset())),
                        Set.of()),
                asked,
                applications,
                () -> "s" + ids.incrementAndGet(),
                InstantSource.fixed(Instant.ofEpochSecond(1_000)));
    }

    @AfterEach
    void stop() {
        repositories.close();
    }

    @Test
    void theFirstDeploymentIsAQuickSyncOfAllPlugins() throws Exception {
        advice.quick("wait").quick("sync", stage("SYNC", false), stage("UNDO", true));

        var planned = planner.plan(deployment(commit(PIPELINE)));

        assertThat(planned.sheet().getSummary())
                .isEqualTo("quick sync: the first deployment of this application");
        assertThat(planned.sheet().getTrigger().getSyncStrategy())
                .isEqualTo(SyncStrategy.QUICK_SYNC);
        assertThat(planned.plan().stages())
                .extracting(PlannedStage::name, PlannedStage::rollback, PlannedStage::limit)
                .containsExactly(
                        tuple("SYNC", false, Duration.ofHours(2)),
                        tuple("UNDO", true, Duration.ofHours(2)));
    }

    @Test
    void whereNobodyOffersAQuickSyncTheFirstDeploymentIsThePipeline() throws Exception {
        advice.quick("wait").quick("sync", stage("UNDO", true));

        var planned = planner.plan(deployment(commit(PIPELINE)));

        assertThat(planned.sheet().getSummary()).isEqualTo("pipeline: as configured");
        assertThat(planned.plan().stages())
                .extracting(PlannedStage::name, PlannedStage::limit)
                .containsExactly(
                        tuple("WAIT", Duration.ofMinutes(1)), tuple("SYNC", Duration.ofMinutes(3)));
    }

    @Test
    void aPipelineWithCustomSyncIsUndoneByItAloneAndNotByItsPlatform() throws Exception {
        advice.undoing.putAll(Map.of("CUSTOM_SYNC", "CUSTOM_SYNC_ROLLBACK", "SYNC", "UNDO"));

        var planned = planner.plan(deployment(commit(PIPELINE.replace("WAIT", "CUSTOM_SYNC"))));

        assertThat(planned.plan().stages())
                .extracting(PlannedStage::name)
                .containsExactly("CUSTOM_SYNC", "SYNC", "CUSTOM_SYNC_ROLLBACK");
    }

    @Test
    void theRollbackOfAWholePipelineHasTheTimeOfItsLongestStage() throws Exception {
        advice.owners.clear();
        advice.owners.put("sync", List.of(0, 1));
        advice.undoing.put("WAIT", "UNDO");

        var planned = planner.plan(deployment(commit(PIPELINE)));

        assertThat(planned.plan().stages())
                .extracting(PlannedStage::name, PlannedStage::limit)
                .containsExactly(
                        tuple("WAIT", Duration.ofMinutes(1)),
                        tuple("SYNC", Duration.ofMinutes(3)),
                        tuple("UNDO", Duration.ofMinutes(3)));
    }

    @Test
    void theRollbackOfOneStageHasTheTimeOfThatStage() throws Exception {
        advice.undoing.put("WAIT", "UNDO");

        var ofTwoPlugins = planner.plan(deployment(commit(PIPELINE)));
        advice.owners.clear();
        advice.owners.put("sync", List.of(0, 1));
        advice.undoing.put("SYNC", "UNDO");
        var ofEachStage = planner.plan(deployment(commit(PIPELINE)));

        assertThat(ofTwoPlugins.plan().rollback())
                .extracting(PlannedStage::limit)
                .containsExactly(Duration.ofMinutes(1));
        assertThat(ofEachStage.plan().rollback())
                .extracting(PlannedStage::limit)
                .containsExactlyInAnyOrder(Duration.ofMinutes(1), Duration.ofMinutes(3));
    }

    @Test
    void thePluginThatWantsThePipelineHasItsWay() throws Exception {
        deployed(commit(PIPELINE));
        advice.opinions.put("wait", determined(SyncStrategy.PIPELINE, "the image changed"));
        advice.opinions.put("sync", determined(SyncStrategy.QUICK_SYNC, "only replicas"));

        var planned = planner.plan(deployment(commit(PIPELINE + "  description: new\n")));

        assertThat(planned.sheet().getSummary()).isEqualTo("the image changed");
        assertThat(planned.sheet().getTrigger().getSyncStrategy()).isEqualTo(SyncStrategy.PIPELINE);
    }

    @Test
    void otherwiseTheLastOpinionCounts() throws Exception {
        deployed(commit(PIPELINE));
        advice.opinions.put("sync", determined(SyncStrategy.QUICK_SYNC, "only replicas"));
        advice.quick("wait").quick("sync", stage("SYNC", false));

        var planned = planner.plan(deployment(commit(PIPELINE + "  description: new\n")));

        assertThat(planned.sheet().getSummary()).isEqualTo("only replicas");
    }

    @Test
    void aPluginThatFailsToSayIsOneWithoutAnOpinion() throws Exception {
        deployed(commit(PIPELINE));
        advice.broken = true;

        var planned = planner.plan(deployment(commit(PIPELINE + "  description: new\n")));

        assertThat(planned.sheet().getSummary())
                .isEqualTo(
                        "pipeline: as configured; no strategy was told: plugin: away; no strategy was told: plugin: away");
        assertThat(planned.sheet().getVersionsList())
                .containsExactly(ArtifactVersion.newBuilder().setVersion("unknown").build());
    }

    @Test
    void whatRunsNowNeedNotBeReadableAnyMore() throws Exception {
        deployed(commit("kind: ["));
        advice.quick("wait").quick("sync", stage("SYNC", false));

        var planned = planner.plan(deployment(commit(PIPELINE)));

        assertThat(planned.sheet().getSummary())
                .isEqualTo("pipeline: what runs now is not to be had from the repository any more");
        assertThat(planned.sheet().getRunningCommitHash()).isEmpty();
    }

    @Test
    void aSubmoduleOfWhatRunsWhoseServerIsGoneKeepsNothingNewFromBeingPlanned() throws Exception {
        remote.write("site/app.pipecd.yaml", PIPELINE);
        var running = remote.link("site/lib", "../gone", "1".repeat(40));
        deployed(running);

        var planned = planner.plan(deployment(commit(PIPELINE + "  description: new\n")));

        assertThat(planned.sheet().getRunningCommitHash()).isEqualTo(running);
    }

    @Test
    void aSubmoduleOfWhatIsToBeDeployedMustBeHad() {
        remote.write("site/app.pipecd.yaml", PIPELINE);
        var target = remote.link("site/lib", "../gone", "1".repeat(40));

        assertThatThrownBy(() -> planner.plan(deployment(target)))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith(
                        "submodule \"site/lib\" of repository demo: its repository: file:");
    }

    @Test
    void aLostSubmoduleOfWhatRunsDoesNotTakeTheWayBack() throws Exception {
        GitRemote.init(Files.createDirectories(directory.resolve("lib")))
                .write("text", "1")
                .commit("one");
        remote.write("site/app.pipecd.yaml", PIPELINE);
        var running = remote.link("site/lib", "../lib", "1".repeat(40));
        deployed(running);

        var planned = planner.plan(deployment(commit(PIPELINE + "  description: new\n")));

        assertThat(planned.sheet().getRunningCommitHash()).isEqualTo(running);
    }

    @Test
    void whatNobodyReadsIsNotLaidOut() throws Exception {
        deployed(commit(PIPELINE));
        advice.planning = Needed.NOTHING;
        advice.stages = Needed.NOTHING;

        var planned = planner.plan(deployment(commit(PIPELINE + "  description: new\n")));

        assertThat(planned.sheet().getRunningCommitHash()).isNotEmpty();
        assertThat(directory.resolve("work")).isEmptyDirectory();
    }

    @Test
    void whatAStageWillReadIsLaidOutBeforeAnythingBegins() throws Exception {
        var running = commit(PIPELINE);
        deployed(running);
        advice.planning = Needed.NOTHING;
        advice.stages = new Needed(true, false);
        var target = commit(PIPELINE + "  description: new\n");

        planner.plan(deployment(target));

        assertThat(directory.resolve("work/d1"))
                .isDirectoryContaining("glob:**/fresh.target-" + target + "-*")
                .isDirectoryNotContaining("glob:**/plan.running-*");
    }

    @Test
    void whatAPluginReadToPlanIsNotLaidOutForAStage() throws Exception {
        var target = commit(PIPELINE);

        planner.plan(deployment(target));

        assertThat(directory.resolve("work/d1"))
                .isDirectoryContaining("glob:**/plan.target-" + target + "-*")
                .isDirectoryNotContaining("glob:**/fresh.*");
    }

    @Test
    void whatAStageWillReadAndCannotBeHadIsADeploymentThatCannotBePlanned() {
        advice.planning = Needed.NOTHING;

        aSubmoduleOfWhatIsToBeDeployedMustBeHad();
    }

    @Test
    void whatRunsAndAStageCannotReadAnyMoreIsNotKnown() throws Exception {
        var link = Files.createDirectories(directory.resolve("remote/site")).resolve("out");
        Files.createSymbolicLink(link, Path.of("/etc/hostname"));
        deployed(commit(PIPELINE));
        Files.delete(link);
        advice.planning = Needed.NOTHING;

        var planned = planner.plan(deployment(commit(PIPELINE + "  description: new\n")));

        assertThat(planned.sheet().getRunningCommitHash()).isEmpty();
    }

    @Test
    void aRunningCommitThatIsGoneMeansThePipeline() throws Exception {
        deployed("0123456789012345678901234567890123456789");

        var planned = planner.plan(deployment(commit(PIPELINE)));

        assertThat(planned.sheet().getTrigger().getSyncStrategy()).isEqualTo(SyncStrategy.PIPELINE);
    }

    @Test
    void whateverPluginsAnswerWhatIsPlannedIsWhatTheFileSays() throws Exception {
        var deployment = deployment(commit(PIPELINE));
        for (var wait : LyingAdvice.Lie.values())
            for (var sync : LyingAdvice.Lie.values()) {
                var harmless = wait.harmless() && sync.harmless();
                var lying = new LyingAdvice(advice, Map.of("wait", wait, "sync", sync));
                if (harmless)
                    assertThat(planner(lying).plan(deployment).sheet().getStagesList())
                            .as("%s and %s", wait, sync)
                            .extracting(
                                    PipelineStage::getId,
                                    PipelineStage::getName,
                                    PipelineStage::getStatus)
                            .containsExactly(
                                    tuple("s1", "WAIT", StageStatus.STAGE_NOT_STARTED_YET),
                                    tuple("s2", "SYNC", StageStatus.STAGE_NOT_STARTED_YET));
                else
                    assertThatThrownBy(() -> planner(lying).plan(deployment))
                            .as("%s and %s", wait, sync)
                            .isInstanceOf(Problem.class)
                            .message()
                            .startsWith("plugin ");
            }
    }

    @Test
    void aPipelineThatIsOrderedMustBeWritten() {
        advice.owners.put("sync", List.of());
        advice.owners.remove("wait");
        var ordered = deployment(commit(HEADER)).toBuilder();
        ordered.getTriggerBuilder().setCommander("ann").setSyncStrategy(SyncStrategy.PIPELINE);

        assertThatThrownBy(() -> planner.plan(ordered.build()))
                .isInstanceOf(Problem.class)
                .hasMessage("ordered by ann: no stage to run (expected: at least one)");
    }

    @Test
    void aMissingFileIsToldWithItsPath() {
        remote.write("site/index.html", "hello");
        var commit = remote.commit("No file");
        repositories.fetch(DEMO);

        assertThatThrownBy(() -> planner.plan(deployment(commit)))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("site/app.pipecd.yaml: no such file in commit");
    }

    @Test
    void everyMistakeOfTheFileIsTold() {
        var commit = commit(HEADER + "  timeout: long\n  pipeline: {stages: [{nam: WAIT}]}\n");

        assertThatThrownBy(() -> planner.plan(deployment(commit)))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("spec.timeout")
                .hasMessageContaining("spec.pipeline.stages[0].name: missing");
    }

    private String commit(String file) {
        var commit = remote.write("site/app.pipecd.yaml", file).commit("Change the site");
        repositories.fetch(DEMO);
        return commit;
    }

    private void deployed(String commit) {
        applications.succeeded(deployment(commit).toBuilder().setId("before").build());
    }

    private static DeterminedStrategy determined(SyncStrategy kind, String summary) {
        return new DeterminedStrategy.Determined(kind, summary);
    }

    private static PipelineStage stage(String name, boolean rollback) {
        return PipelineStage.newBuilder().setName(name).setRollback(rollback).build();
    }

    private static Deployment deployment(String commit) {
        return Deployment.newBuilder()
                .setId("d1")
                .setApplicationId("site")
                .setGitPath(application().getGitPath())
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(Commit.newBuilder().setHash(commit)))
                .setCreatedAt(1)
                .build();
    }

    private static Application application() {
        return Application.newBuilder()
                .setId("site")
                .setName("site")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                .setPath("site")
                                .setConfigFilename("app.pipecd.yaml"))
                .build();
    }
}
