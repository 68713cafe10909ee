// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.notify.Mentions;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.config.ApplicationConfig.Mention;
import dev.pipecd.domain.IdSource;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.SyncStrategy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// Writes the public document of a new deployment.
public final class Opening {
    private final IdSource ids;
    private final InstantSource clock;

    public Opening(IdSource ids, InstantSource clock) {
        this.ids = ids;
        this.clock = clock;
    }

    Instant now() {
        return clock.instant();
    }

    @SuppressWarnings("deprecation") // the public protocol still carries the kind
    Deployment deployment(
            Application application,
            Commit head,
            String commitUrl,
            String commander,
            SyncStrategy strategy,
            List<Mention> mentions) {
        var now = now().getEpochSecond();
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
                .setMetadataV2(DeploymentMetadata.newBuilder().setShared(shared(mentions)))
                .setCreatedAt(now)
                .setUpdatedAt(now)
                .build();
    }

    private static DeploymentMetadata.KeyValues shared(List<Mention> mentions) {
        var shared = DeploymentMetadata.KeyValues.newBuilder();
        Mentions.written(mentions).ifPresent(value -> shared.putKeyValues(Mentions.KEY, value));
        return shared.build();
    }
}
