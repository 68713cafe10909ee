// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.util.Map;
import java.util.Optional;

/// What the figures need of a completed deployment.
///
/// @param completedAt Unix seconds
/// @param leadTime seconds from the commit to its success; below zero where it is not known, or the
///   commit was live already
public record Delivery(
        String deployment,
        String project,
        String application,
        Map<String, String> labels,
        long completedAt,
        DeploymentStatus status,
        long leadTime) {
    private static final long UNKNOWN = -1;

    public Delivery {
        labels = Map.copyOf(labels);
    }

    /// Empty while it is under way.
    static Optional<Delivery> of(Deployment deployment) {
        var completed =
                switch (deployment.getStatus()) {
                    case DEPLOYMENT_SUCCESS, DEPLOYMENT_FAILURE, DEPLOYMENT_CANCELLED -> true;
                    case DEPLOYMENT_PENDING,
                            DEPLOYMENT_PLANNED,
                            DEPLOYMENT_RUNNING,
                            DEPLOYMENT_ROLLING_BACK,
                            UNRECOGNIZED ->
                            false;
                };
        if (!completed || deployment.getCompletedAt() <= 0) return Optional.empty();
        return Optional.of(
                new Delivery(
                        deployment.getId(),
                        deployment.getProjectId(),
                        deployment.getApplicationId(),
                        deployment.getLabelsMap(),
                        deployment.getCompletedAt(),
                        deployment.getStatus(),
                        leadTime(deployment)));
    }

    private static long leadTime(Deployment deployment) {
        var commit = deployment.getTrigger().getCommit();
        if (deployment.getStatus() != DeploymentStatus.DEPLOYMENT_SUCCESS
                || commit.getCreatedAt() <= 0
                || ranBefore(deployment)) return UNKNOWN;
        // clocks may disagree
        return Math.max(0, deployment.getCompletedAt() - commit.getCreatedAt());
    }

    /// A sync of what runs brings no change to anybody: each would count the age of its commit.
    private static boolean ranBefore(Deployment deployment) {
        var running = deployment.getRunningCommitHash();
        return !running.isEmpty() && running.equals(deployment.getTrigger().getCommit().getHash());
    }
}
