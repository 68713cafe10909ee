// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.util.Map;
import java.util.Optional;

/// Something that happened and that people may want to hear of.
public sealed interface Event {
    record DeploymentTriggered(Deployment deployment) implements OfDeployment {}

    record DeploymentPlanned(Deployment deployment) implements OfDeployment {}

    record DeploymentStarted(Deployment deployment) implements OfDeployment {}

    record DeploymentWaitApproval(Deployment deployment, PipelineStage stage)
            implements OfDeployment {}

    record DeploymentApproved(Deployment deployment, String approver) implements OfDeployment {}

    record DeploymentRollingBack(Deployment deployment, String reason) implements OfDeployment {}

    record DeploymentSucceeded(Deployment deployment) implements OfDeployment {}

    record DeploymentFailed(Deployment deployment, String reason) implements OfDeployment {}

    /// @param commander the person who cancelled it; empty when nobody did
    record DeploymentCancelled(Deployment deployment, String commander, String reason)
            implements OfDeployment {}

    record StageStarted(Deployment deployment, PipelineStage stage) implements OfStage {}

    record StageSkipped(Deployment deployment, PipelineStage stage) implements OfStage {}

    record StageSucceeded(Deployment deployment, PipelineStage stage) implements OfStage {}

    record StageFailed(Deployment deployment, PipelineStage stage) implements OfStage {}

    record StageCancelled(Deployment deployment, PipelineStage stage) implements OfStage {}

    /// A commit that should have opened a deployment could not.
    record DeploymentTriggerFailed(
            Application application, String commit, String message, String reason)
            implements OfApplication {}

    record ApplicationSynced(Application application, ApplicationSyncState state)
            implements OfApplication {}

    record ApplicationOutOfSync(Application application, ApplicationSyncState state)
            implements OfApplication {}

    record ApplicationHealthy(Application application) implements OfApplication {}

    record PipedStarted() implements OfPiped {}

    record PipedStopped() implements OfPiped {}

    /// A plugin ends again and again, or cannot be had at all.
    record PluginUnhealthy(String plugin, String reason, String advice) implements OfPiped {}

    /// A plugin that was told to be unhealthy is ready again.
    record PluginHealthy(String plugin) implements OfPiped {}

    sealed interface OfDeployment extends Event {
        Deployment deployment();
    }

    sealed interface OfStage extends Event {
        Deployment deployment();

        PipelineStage stage();
    }

    sealed interface OfApplication extends Event {
        Application application();
    }

    sealed interface OfPiped extends Event {}

    default EventKind kind() {
        return switch (this) {
            case DeploymentTriggered _ -> EventKind.DEPLOYMENT_TRIGGERED;
            case DeploymentPlanned _ -> EventKind.DEPLOYMENT_PLANNED;
            case DeploymentStarted _ -> EventKind.DEPLOYMENT_STARTED;
            case DeploymentWaitApproval _ -> EventKind.DEPLOYMENT_WAIT_APPROVAL;
            case DeploymentApproved _ -> EventKind.DEPLOYMENT_APPROVED;
            case DeploymentRollingBack _ -> EventKind.DEPLOYMENT_ROLLING_BACK;
            case DeploymentSucceeded _ -> EventKind.DEPLOYMENT_SUCCEEDED;
            case DeploymentFailed _ -> EventKind.DEPLOYMENT_FAILED;
            case DeploymentCancelled _ -> EventKind.DEPLOYMENT_CANCELLED;
            case StageStarted _ -> EventKind.STAGE_STARTED;
            case StageSkipped _ -> EventKind.STAGE_SKIPPED;
            case StageSucceeded _ -> EventKind.STAGE_SUCCEEDED;
            case StageFailed _ -> EventKind.STAGE_FAILED;
            case StageCancelled _ -> EventKind.STAGE_CANCELLED;
            case DeploymentTriggerFailed _ -> EventKind.DEPLOYMENT_TRIGGER_FAILED;
            case ApplicationSynced _ -> EventKind.APPLICATION_SYNCED;
            case ApplicationOutOfSync _ -> EventKind.APPLICATION_OUT_OF_SYNC;
            case ApplicationHealthy _ -> EventKind.APPLICATION_HEALTHY;
            case PipedStarted() -> EventKind.PIPED_STARTED;
            case PipedStopped() -> EventKind.PIPED_STOPPED;
            case PluginUnhealthy _ -> EventKind.PLUGIN_UNHEALTHY;
            case PluginHealthy _ -> EventKind.PLUGIN_HEALTHY;
        };
    }

    /// The application it is about; events of the agent itself are about none.
    default Optional<About> about() {
        return switch (this) {
            case OfDeployment e -> Optional.of(About.of(e.deployment()));
            case OfStage e -> Optional.of(About.of(e.deployment()));
            case OfApplication e ->
                    Optional.of(
                            new About(e.application().getName(), e.application().getLabelsMap()));
            case OfPiped _ -> Optional.empty();
        };
    }

    /// What routes ask about an application.
    record About(String application, Map<String, String> labels) {
        private static About of(Deployment deployment) {
            return new About(deployment.getApplicationName(), deployment.getLabelsMap());
        }
    }
}
