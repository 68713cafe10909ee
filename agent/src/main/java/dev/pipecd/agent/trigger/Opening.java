// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.source.Commit;
import dev.pipecd.domain.IdSource;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.SyncStrategy;
import java.time.InstantSource;

/// Writes the public document of a new deployment.
public final class Opening {
    private final IdSource ids;
    private final InstantSource clock;

    public Opening(IdSource ids, InstantSource clock) {
        this.ids = ids;
        this.clock = clock;
    }

    @SuppressWarnings("deprecation") // the public protocol still carries the kind
    Deployment deployment(
            Application application,
            Commit head,
            String commitUrl,
            String commander,
            SyncStrategy strategy) {
        var now = clock.instant().getEpochSecond();
        return Deployment.newBuilder()
                .setId(ids.next())
                .setApplicationId(application.getId())
                .setApplicationName(application.getName())
                .setPipedId(application.getPipedId())
                .setProjectId(application.getProjectId())
                .setKind(application.getKind())
                .setGitPath(application.getGitPath())
                .putAllDeployTargetsByPlugin(application.getDeployTargetsByPluginMap())
                .putAllLabels(application.getLabelsMap())
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(
                                        dev.pipecd.wire.model.Commit.newBuilder()
                                                .setHash(head.hash())
                                                .setMessage(head.subject())
                                                .setAuthor(head.author())
                                                .setBranch(head.branch())
                                                .setUrl(commitUrl)
                                                .setCreatedAt(head.authoredAt().getEpochSecond()))
                                .setCommander(commander)
                                .setTimestamp(now)
                                .setSyncStrategy(strategy))
                .setStatus(DeploymentStatus.DEPLOYMENT_PENDING)
                .setStatusReason("waiting to be planned")
                .setMetadataV2(
                        DeploymentMetadata.newBuilder()
                                .setShared(DeploymentMetadata.KeyValues.getDefaultInstance()))
                .setCreatedAt(now)
                .setUpdatedAt(now)
                .build();
    }
}
