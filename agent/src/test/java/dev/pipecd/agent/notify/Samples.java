// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Instant;
import java.util.List;

/// A deployment of the shop, its approval stage, and one event of each kind.
final class Samples {
    static final Instant AT = Instant.ofEpochSecond(1_700_000_000);

    static final Sender SENDER =
            new Sender("team", "piped-1", "west", "v1.2", () -> "https://cd.example.com/");

    static final Deployment DEPLOYMENT =
            Deployment.newBuilder()
                    .setId("d1")
                    .setApplicationId("a1")
                    .setApplicationName("shop")
                    .setPipedId("piped-1")
                    .setProjectId("team")
                    .putLabels("tier", "web")
                    .setTrigger(
                            DeploymentTrigger.newBuilder()
                                    .setCommit(
                                            Commit.newBuilder()
                                                    .setHash("0123456789abcdef")
                                                    .setMessage("Sell <more> & more")
                                                    .setAuthor("ann")
                                                    .setBranch("main")
                                                    .setCreatedAt(1_699_999_990))
                                    .setTimestamp(1_699_999_999))
                    .setSummary("pipeline: as configured")
                    .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                    .build();

    static final PipelineStage STAGE =
            PipelineStage.newBuilder()
                    .setId("s1")
                    .setName("WAIT_APPROVAL")
                    .setStatus(StageStatus.STAGE_FAILURE)
                    .setStatusReason("nobody came")
                    .setAvailableOperation(ManualOperation.MANUAL_OPERATION_APPROVE)
                    .addAuthorizedOperators("ann")
                    .addAuthorizedOperators("bob")
                    .build();

    static final Application APPLICATION =
            Application.newBuilder()
                    .setId("a1")
                    .setName("shop")
                    .setProjectId("team")
                    .putLabels("tier", "web")
                    .build();

    static final ApplicationSyncState SYNCED =
            ApplicationSyncState.newBuilder()
                    .setStatus(ApplicationSyncStatus.SYNCED)
                    .setTimestamp(1_700_000_000)
                    .build();

    static final ApplicationSyncState OUT_OF_SYNC =
            ApplicationSyncState.newBuilder()
                    .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                    .setShortReason("drift")
                    .setReason("2 objects differ")
                    .setTimestamp(1_700_000_000)
                    .build();

    static final List<Event> EACH =
            List.of(
                    new Event.DeploymentTriggered(DEPLOYMENT),
                    new Event.DeploymentPlanned(DEPLOYMENT),
                    new Event.DeploymentApproved(DEPLOYMENT, "bob"),
                    new Event.DeploymentRollingBack(DEPLOYMENT, "PUBLISH failed"),
                    new Event.DeploymentSucceeded(DEPLOYMENT),
                    new Event.DeploymentFailed(DEPLOYMENT, "PUBLISH failed"),
                    new Event.DeploymentCancelled(DEPLOYMENT, "ann", "cancelled by ann"),
                    new Event.DeploymentWaitApproval(DEPLOYMENT, STAGE),
                    new Event.DeploymentTriggerFailed(
                            APPLICATION, "0123456789abcdef", "Break it", "the file is not YAML"),
                    new Event.DeploymentStarted(DEPLOYMENT),
                    new Event.ApplicationSynced(APPLICATION, SYNCED),
                    new Event.ApplicationOutOfSync(APPLICATION, OUT_OF_SYNC),
                    new Event.ApplicationHealthy(APPLICATION),
                    new Event.PipedStarted(),
                    new Event.PipedStopped(),
                    new Event.PluginUnhealthy("kubernetes", "it ends again and again", "Mend it."),
                    new Event.PluginHealthy("kubernetes"),
                    new Event.StageStarted(DEPLOYMENT, STAGE),
                    new Event.StageSkipped(DEPLOYMENT, STAGE),
                    new Event.StageSucceeded(DEPLOYMENT, STAGE),
                    new Event.StageFailed(DEPLOYMENT, STAGE),
                    new Event.StageCancelled(DEPLOYMENT, STAGE));

    private Samples() {}

    /// A deployment whose application wants people to be named.
    static Deployment naming(String mentions) {
        return DEPLOYMENT.toBuilder()
                .setMetadataV2(
                        DeploymentMetadata.newBuilder()
                                .setShared(
                                        DeploymentMetadata.KeyValues.newBuilder()
                                                .putKeyValues("DeploymentNotification", mentions)))
                .build();
    }
}
