// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.wire.model.PipelineStage;

/// An event in words, plain: what Slack must not take for its own marks is escaped later.
record SlackWords(Colour colour, String title, String text) {
    /// As the public agent colours.
    enum Colour {
        INFO("#222429"),
        SUCCESS("#629650"),
        ERROR("#9C3C31"),
        WARN("#C1A337");

        private final String hex;

        Colour(String hex) {
            this.hex = hex;
        }

        String hex() {
            return hex;
        }
    }

    static SlackWords of(Event event) {
        return switch (event) {
            case Event.OfDeployment e -> ofDeployment(e, e.deployment().getApplicationName());
            case Event.OfStage e -> ofStage(e, e.deployment().getApplicationName());
            case Event.OfApplication e -> ofApplication(e, e.application().getName());
            case Event.OfPiped e -> ofPiped(e);
        };
    }

    private static SlackWords ofDeployment(Event.OfDeployment event, String name) {
        return switch (event) {
            case Event.DeploymentTriggered _ ->
                    new SlackWords(Colour.INFO, name + ": deployment triggered", "");
            case Event.DeploymentPlanned(var deployment) ->
                    new SlackWords(
                            Colour.INFO, name + ": deployment planned", deployment.getSummary());
            case Event.DeploymentStarted _ ->
                    new SlackWords(Colour.INFO, name + ": deployment started", "");
            case Event.DeploymentWaitApproval(_, var stage) ->
                    new SlackWords(
                            Colour.WARN, name + ": deployment waits for approval", waits(stage));
            case Event.DeploymentApproved(_, var approver) ->
                    new SlackWords(
                            Colour.INFO, name + ": deployment approved", "Approved by " + approver);
            case Event.DeploymentRollingBack(_, var reason) ->
                    new SlackWords(Colour.WARN, name + ": deployment rolls back", reason);
            case Event.DeploymentSucceeded _ ->
                    new SlackWords(Colour.SUCCESS, name + ": deployment succeeded", "");
            case Event.DeploymentFailed(_, var reason) ->
                    new SlackWords(Colour.ERROR, name + ": deployment failed", reason);
            case Event.DeploymentCancelled(_, _, var reason) ->
                    new SlackWords(Colour.WARN, name + ": deployment cancelled", reason);
        };
    }

    private static String waits(PipelineStage stage) {
        var operators = stage.getAuthorizedOperatorsList();
        return operators.isEmpty()
                ? stage.getName() + " waits for anybody's approval"
                : stage.getName() + " waits for " + String.join(", ", operators);
    }

    private static SlackWords ofStage(Event.OfStage event, String name) {
        var stage = name + ": stage " + event.stage().getName();
        var reason = event.stage().getStatusReason();
        return switch (event) {
            case Event.StageStarted _ -> new SlackWords(Colour.INFO, stage + " started", "");
            case Event.StageSkipped _ -> new SlackWords(Colour.INFO, stage + " skipped", reason);
            case Event.StageSucceeded _ ->
                    new SlackWords(Colour.SUCCESS, stage + " succeeded", reason);
            case Event.StageFailed _ -> new SlackWords(Colour.ERROR, stage + " failed", reason);
            case Event.StageCancelled _ ->
                    new SlackWords(Colour.WARN, stage + " cancelled", reason);
        };
    }

    private static SlackWords ofApplication(Event.OfApplication event, String name) {
        return switch (event) {
            case Event.DeploymentTriggerFailed(_, _, _, var reason) ->
                    new SlackWords(Colour.ERROR, name + ": no deployment triggered", reason);
            case Event.ApplicationSynced _ -> new SlackWords(Colour.SUCCESS, name + ": synced", "");
            case Event.ApplicationOutOfSync(_, var state) ->
                    new SlackWords(
                            Colour.WARN,
                            name + ": out of sync",
                            state.getReason().isEmpty()
                                    ? state.getShortReason()
                                    : state.getReason());
            case Event.ApplicationHealthy _ ->
                    new SlackWords(Colour.SUCCESS, name + ": healthy", "");
        };
    }

    private static SlackWords ofPiped(Event.OfPiped event) {
        return switch (event) {
            case Event.PipedStarted() -> new SlackWords(Colour.INFO, "Agent started", "");
            case Event.PipedStopped() -> new SlackWords(Colour.INFO, "Agent stops", "");
            case Event.PluginUnhealthy(var plugin, var reason, var advice) ->
                    new SlackWords(
                            Colour.ERROR,
                            "Plugin " + plugin + " is unhealthy",
                            (reason + ". " + advice).strip());
            case Event.PluginHealthy(var plugin) ->
                    new SlackWords(Colour.SUCCESS, "Plugin " + plugin + " is ready again", "");
        };
    }
}
