// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_CANCELLED;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_FAILURE;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_RUNNING;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_SUCCESS;
import static dev.pipecd.wire.model.StageStatus.STAGE_CANCELLED;
import static dev.pipecd.wire.model.StageStatus.STAGE_EXITED;
import static dev.pipecd.wire.model.StageStatus.STAGE_FAILURE;
import static dev.pipecd.wire.model.StageStatus.STAGE_NOT_STARTED_YET;
import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static dev.pipecd.wire.model.StageStatus.STAGE_SKIPPED;
import static dev.pipecd.wire.model.StageStatus.STAGE_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.web.GetApplicationRequest;
import dev.pipecd.wire.web.GetPipedRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What agents of the public system really send, classic (v0) and with plugins (v1), through the
/// ports of a whole server: every walk ends in its right status, and repeats change nothing.
final class PublicAgentsTest {
    @TempDir private static Path folder;
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static WholeServer server;
    private PublicAgent v0;
    private PublicAgent v1;

    @BeforeAll
    static void start() throws Exception {
        server = new WholeServer(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void register() {
        var name = COUNT.incrementAndGet();
        v0 = PublicAgent.register(server, "v0-" + name, true);
        v1 = PublicAgent.register(server, "v1-" + name, false);
    }

    private static Application application(PublicAgent agent) {
        return server.people()
                .getApplication(
                        GetApplicationRequest.newBuilder()
                                .setApplicationId(agent.deployment().getApplicationId())
                                .build())
                .getApplication();
    }

    /// It has ended so, nothing is left to do, and what comes late once more changes nothing.
    private static void ended(PublicAgent agent, DeploymentStatus status, StageStatus... statuses) {
        var stored = agent.stored();
        assertThat(stored.getStatus()).isEqualTo(status);
        assertThat(stored.getStatusReason()).isEqualTo("the end");
        assertThat(stored.getStagesList().stream().map(PipelineStage::getStatus))
                .containsExactly(statuses);
        assertThat(agent.live()).isEmpty();
        assertThat(application(agent).getDeploying()).isFalse();

        agent.everythingOnceMoreFromTheEndBackwards();

        assertThat(agent.stored()).isEqualTo(stored);
    }

    /// As the agent with plugins plans: ids of its own, the strategy, rollbacks by their flag.
    private void runningWithPlugins() {
        v1.create(
                v1.deployment().toBuilder()
                        .putDeployTargetsByPlugin(
                                "kubernetes",
                                DeployTargets.newBuilder().addDeployTargets("dev").build())
                        .setMetadataV2(
                                DeploymentMetadata.newBuilder()
                                        .setShared(
                                                DeploymentMetadata.KeyValues
                                                        .getDefaultInstance())));
        v1.plan(
                ReportDeploymentPlannedRequest.newBuilder()
                        .setSummary("Sync with the specified pipeline")
                        .setSyncStrategy(SyncStrategy.PIPELINE)
                        .addVersions(ArtifactVersion.newBuilder().setVersion("v2").setName("site")),
                List.of(
                        Samples.stage("s1", "K8S_CANARY_ROLLOUT", false),
                        Samples.stage("s2", "WAIT", false),
                        Samples.stage("s3", "K8S_PRIMARY_ROLLOUT", false),
                        Samples.stage("r1", "K8S_ROLLBACK", true)));
        v1.move(DEPLOYMENT_RUNNING);
    }

    private static Map<String, StageStatus> all(
            StageStatus s1, StageStatus s2, StageStatus s3, StageStatus r1) {
        return Map.of("s1", s1, "s2", s2, "s3", s3, "r1", r1);
    }

    @Test
    void anAgentWithPluginsTellsThemAndWalksToSuccess() {
        v1.about(
                PublicAgent.meta()
                        .addPlugins(
                                Piped.Plugin.newBuilder()
                                        .setName("kubernetes")
                                        .addDeployTargets("dev")));
        runningWithPlugins();
        v1.stage("s1", STAGE_RUNNING);
        v1.log("s1", 1, "applied", true);
        v1.stage("s1", STAGE_SUCCESS);
        v1.stage("s2", STAGE_SKIPPED);
        v1.stage("s3", STAGE_RUNNING, STAGE_SUCCESS);

        v1.complete(
                DEPLOYMENT_SUCCESS,
                all(STAGE_SUCCESS, STAGE_SKIPPED, STAGE_SUCCESS, STAGE_NOT_STARTED_YET));

        assertThat(v1.stored().getTrigger().getSyncStrategy()).isEqualTo(SyncStrategy.PIPELINE);
        assertThat(application(v1).getMostRecentlySuccessfulDeployment().getDeploymentId())
                .isEqualTo(v1.deployment().getId());
        ended(
                v1,
                DEPLOYMENT_SUCCESS,
                STAGE_SUCCESS,
                STAGE_SKIPPED,
                STAGE_SUCCESS,
                STAGE_NOT_STARTED_YET);
    }

    @Test
    void aStageThatExitsLeavesTheRestUndoneAndSucceeds() {
        runningWithPlugins();
        v1.stage("s1", STAGE_RUNNING, STAGE_EXITED);

        v1.complete(DEPLOYMENT_SUCCESS, Map.of("s1", STAGE_EXITED));

        ended(
                v1,
                DEPLOYMENT_SUCCESS,
                STAGE_EXITED,
                STAGE_NOT_STARTED_YET,
                STAGE_NOT_STARTED_YET,
                STAGE_NOT_STARTED_YET);
    }

    @Test
    void aStageFailsBeforeItRunsAndAllIsRolledBack() {
        runningWithPlugins();
        v1.stage("s1", STAGE_RUNNING, STAGE_SUCCESS);
        v1.stage("s2", STAGE_FAILURE);
        v1.move(DEPLOYMENT_ROLLING_BACK);
        v1.stage("r1", STAGE_RUNNING, STAGE_SUCCESS);

        v1.complete(
                DEPLOYMENT_FAILURE,
                all(STAGE_SUCCESS, STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_SUCCESS));

        ended(
                v1,
                DEPLOYMENT_FAILURE,
                STAGE_SUCCESS,
                STAGE_FAILURE,
                STAGE_NOT_STARTED_YET,
                STAGE_SUCCESS);
    }

    @Test
    void aCancelFindsTheNextStageBegunAndTheRollbackStartsBesideIt() {
        runningWithPlugins();
        v1.stage("s1", STAGE_RUNNING, STAGE_SUCCESS);
        v1.stage("s2", STAGE_RUNNING, STAGE_SUCCESS);
        v1.stage("s3", STAGE_RUNNING);
        v1.move(DEPLOYMENT_ROLLING_BACK);
        v1.stage("r1", STAGE_RUNNING, STAGE_SUCCESS);

        v1.complete(
                DEPLOYMENT_CANCELLED,
                all(STAGE_SUCCESS, STAGE_SUCCESS, STAGE_CANCELLED, STAGE_SUCCESS));

        ended(
                v1,
                DEPLOYMENT_CANCELLED,
                STAGE_SUCCESS,
                STAGE_SUCCESS,
                STAGE_CANCELLED,
                STAGE_SUCCESS);
    }

    @Test
    void theAbandonedStageIsToldOfDuringTheRollbackAndAfterTheEnd() {
        runningWithPlugins();
        v1.stage("s1", STAGE_RUNNING, STAGE_SUCCESS);
        v1.move(DEPLOYMENT_ROLLING_BACK);
        v1.stage("s2", STAGE_RUNNING);
        v1.stage("r1", STAGE_RUNNING, STAGE_FAILURE);

        v1.complete(
                DEPLOYMENT_FAILURE,
                all(STAGE_SUCCESS, STAGE_RUNNING, STAGE_NOT_STARTED_YET, STAGE_FAILURE));
        v1.stage("s2", STAGE_CANCELLED);

        ended(
                v1,
                DEPLOYMENT_FAILURE,
                STAGE_SUCCESS,
                STAGE_CANCELLED,
                STAGE_NOT_STARTED_YET,
                STAGE_FAILURE);
    }

    @Test
    void anAgentThatIsStoppedCancelsItsStageAndRollsBackAfterItsStart() {
        runningWithPlugins();
        v1.stage("s1", STAGE_RUNNING, STAGE_CANCELLED);

        var next = v1.restarted();
        assertThat(next.live()).containsExactly(next.deployment().getId());
        next.move(DEPLOYMENT_RUNNING);
        next.move(DEPLOYMENT_ROLLING_BACK);
        next.stage("r1", STAGE_RUNNING, STAGE_SUCCESS);
        next.complete(
                DEPLOYMENT_CANCELLED,
                all(STAGE_CANCELLED, STAGE_NOT_STARTED_YET, STAGE_NOT_STARTED_YET, STAGE_SUCCESS));

        ended(
                next,
                DEPLOYMENT_CANCELLED,
                STAGE_CANCELLED,
                STAGE_NOT_STARTED_YET,
                STAGE_NOT_STARTED_YET,
                STAGE_SUCCESS);
    }

    @Test
    void anAgentThatStartsDuringARollbackRunsAllOfItAgain() {
        runningWithPlugins();
        v1.stage("s1", STAGE_RUNNING, STAGE_FAILURE);
        v1.move(DEPLOYMENT_ROLLING_BACK);
        v1.stage("r1", STAGE_RUNNING, STAGE_SUCCESS);

        var next = v1.restarted();
        next.stage("r1", STAGE_RUNNING, STAGE_FAILURE);
        next.complete(
                DEPLOYMENT_FAILURE,
                all(STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_NOT_STARTED_YET, STAGE_FAILURE));

        ended(
                next,
                DEPLOYMENT_FAILURE,
                STAGE_FAILURE,
                STAGE_NOT_STARTED_YET,
                STAGE_NOT_STARTED_YET,
                STAGE_FAILURE);
    }

    @Test
    void whatCannotBePlannedEndsWithoutAPlan() {
        v1.create(v1.deployment().toBuilder());

        v1.complete(DEPLOYMENT_FAILURE, Map.of());

        ended(v1, DEPLOYMENT_FAILURE);
    }

    /// As the classic agent plans: people's own ids, no strategy, rollbacks by name only.
    @SuppressWarnings("deprecation") // that is what it sends
    private void runningClassic(String rollback) {
        v0.create(
                v0.deployment().toBuilder()
                        .setKind(ApplicationKind.CLOUDRUN)
                        .setCloudProvider("run")
                        .setPlatformProvider("run")
                        .putMetadata("DeploymentNotification", "{}"));
        v0.plan(
                ReportDeploymentPlannedRequest.newBuilder()
                        .setSummary("Sync progressively")
                        .setVersion("v2")
                        .addVersions(
                                ArtifactVersion.newBuilder()
                                        .setKind(ArtifactVersion.Kind.CONTAINER_IMAGE)
                                        .setVersion("v2")),
                List.of(
                        classic("stage-0", "WAIT_APPROVAL").setVisible(true).build(),
                        classic("promote", "CLOUDRUN_PROMOTE").setVisible(true).build(),
                        classic("Rollback", rollback).setPredefined(true).build()));
        v0.move(DEPLOYMENT_RUNNING);
    }

    private static PipelineStage.Builder classic(String id, String name) {
        return Samples.stage(id, name, false).toBuilder()
                .setAvailableOperation(ManualOperation.MANUAL_OPERATION_UNKNOWN);
    }

    @Test
    @SuppressWarnings("deprecation") // that is what it sends
    void aClassicAgentTellsItsProvidersUnderBothNames() {
        v0.about(
                PublicAgent.meta()
                        .addPlatformProviders(provider("run"))
                        .addPlatformProviders(provider("batch"))
                        .addCloudProviders(
                                Piped.CloudProvider.newBuilder().setName("run").setType("CLOUDRUN"))
                        .addCloudProviders(
                                Piped.CloudProvider.newBuilder()
                                        .setName("older")
                                        .setType("CLOUDRUN")));

        assertThat(
                        server.people()
                                .getPiped(
                                        GetPipedRequest.newBuilder()
                                                .setPipedId(v0.deployment().getPipedId())
                                                .build())
                                .getPiped()
                                .getPlatformProvidersList())
                .containsExactly(provider("run"), provider("batch"), provider("older"));
    }

    private static Piped.PlatformProvider provider(String name) {
        return Piped.PlatformProvider.newBuilder().setName(name).setType("CLOUDRUN").build();
    }

    @Test
    @SuppressWarnings("deprecation") // that is what it sends
    void aClassicAgentGoesOnInMidStageAndSucceeds() {
        runningClassic("ROLLBACK");
        v0.stage("stage-0", STAGE_RUNNING);
        v0.log("stage-0", 1, "waiting", false);
        var next = v0.restarted();
        next.move(DEPLOYMENT_RUNNING);
        next.stage("stage-0", STAGE_RUNNING);
        next.log("stage-0", 2, "approved", true);
        next.stage("stage-0", STAGE_SUCCESS);
        next.stage("promote", STAGE_RUNNING, STAGE_SUCCESS);

        next.complete(
                DEPLOYMENT_SUCCESS, Map.of("stage-0", STAGE_SUCCESS, "promote", STAGE_SUCCESS));

        var stored = next.stored();
        assertThat(stored.getKind()).isEqualTo(ApplicationKind.CLOUDRUN);
        assertThat(stored.getCloudProvider()).isEqualTo("run");
        assertThat(stored.getTrigger().getSyncStrategy()).isEqualTo(SyncStrategy.AUTO);
        assertThat(stored.getStages(0).getVisible()).isTrue();
        ended(next, DEPLOYMENT_SUCCESS, STAGE_SUCCESS, STAGE_SUCCESS, STAGE_NOT_STARTED_YET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ROLLBACK", "SCRIPT_RUN_ROLLBACK", "CUSTOM_SYNC_ROLLBACK"})
    void aClassicAgentRollsBackByNameAlone(String name) {
        runningClassic(name);
        v0.stage("stage-0", STAGE_RUNNING, STAGE_FAILURE);
        v0.move(DEPLOYMENT_ROLLING_BACK);
        v0.stage("Rollback", STAGE_RUNNING, STAGE_SUCCESS);

        v0.complete(
                DEPLOYMENT_FAILURE, Map.of("stage-0", STAGE_FAILURE, "Rollback", STAGE_SUCCESS));

        ended(v0, DEPLOYMENT_FAILURE, STAGE_FAILURE, STAGE_NOT_STARTED_YET, STAGE_SUCCESS);
    }

    @Test
    void aClassicAgentGivesTheRollbacksOfAllScriptsOneId() {
        v0.create(v0.deployment().toBuilder());
        var undo = classic("ScriptRunRollback", "SCRIPT_RUN_ROLLBACK");
        var plan =
                List.of(
                        classic("stage-0", "SCRIPT_RUN").build(),
                        classic("stage-1", "SCRIPT_RUN").build(),
                        undo.putMetadata("onRollback", "first").build(),
                        undo.putMetadata("onRollback", "second").build());
        v0.plan(ReportDeploymentPlannedRequest.newBuilder().setSummary("Sync"), plan);
        v0.move(DEPLOYMENT_RUNNING);
        v0.stage("stage-0", STAGE_RUNNING, STAGE_SUCCESS);
        v0.stage("stage-1", STAGE_RUNNING, STAGE_FAILURE);
        v0.move(DEPLOYMENT_ROLLING_BACK);
        v0.stage(undo.getId(), STAGE_RUNNING, STAGE_SUCCESS, STAGE_RUNNING, STAGE_SUCCESS);

        v0.complete(DEPLOYMENT_FAILURE, Map.of(undo.getId(), STAGE_SUCCESS));

        ended(v0, DEPLOYMENT_FAILURE, STAGE_SUCCESS, STAGE_FAILURE, STAGE_SUCCESS, STAGE_SUCCESS);
        assertThat(v0.stored().getStagesList().subList(2, 4))
                .extracting(s -> s.getMetadataOrThrow("onRollback"))
                .containsExactly("first", "second");
    }
}
