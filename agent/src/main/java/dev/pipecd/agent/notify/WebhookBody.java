// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/// What a webhook is sent: the public form, `Type` and `Metadata`, where what is empty is left out.
final class WebhookBody {
    private static final JsonNodeFactory nodes = JsonNodeFactory.instance;

    private WebhookBody() {}

    static ObjectNode of(Event event, Sender sender) {
        var body = nodes.objectNode().put("Type", event.kind().number());
        body.set("Metadata", metadata(event, sender));
        return body;
    }

    private static ObjectNode metadata(Event event, Sender sender) {
        return switch (event) {
            case Event.OfDeployment e -> ofDeployment(e);
            case Event.OfStage e -> {
                var metadata = nodes.objectNode();
                metadata.set("deployment", PublicJson.of(e.deployment()));
                metadata.set("stage", PublicJson.of(e.stage()));
                yield metadata;
            }
            case Event.OfApplication e -> ofApplication(e);
            case Event.OfPiped e -> ofPiped(e, sender);
        };
    }

    private static ObjectNode ofDeployment(Event.OfDeployment event) {
        var metadata = nodes.objectNode();
        metadata.set("deployment", PublicJson.of(event.deployment()));
        switch (event) {
            case Event.DeploymentPlanned(var deployment) ->
                    put(metadata, "summary", deployment.getSummary());
            case Event.DeploymentApproved(_, var approver) -> put(metadata, "approver", approver);
            case Event.DeploymentFailed(_, var reason) -> put(metadata, "reason", reason);
            case Event.DeploymentCancelled(_, var commander, _) ->
                    put(metadata, "commander", commander);
            case Event.DeploymentTriggered _,
                    Event.DeploymentStarted _,
                    Event.DeploymentWaitApproval _,
                    Event.DeploymentRollingBack _,
                    Event.DeploymentSucceeded _ -> {}
        }
        var named = Mentions.of(event.deployment(), event.kind());
        put(metadata, "mentioned_accounts", named.accounts());
        put(metadata, "mentioned_groups", named.groups());
        return metadata;
    }

    private static ObjectNode ofApplication(Event.OfApplication event) {
        var metadata = nodes.objectNode();
        metadata.set("application", PublicJson.of(event.application()));
        switch (event) {
            case Event.DeploymentTriggerFailed(_, var commit, var message, var reason) -> {
                put(metadata, "commit_hash", commit);
                put(metadata, "commit_message", message);
                put(metadata, "reason", reason);
            }
            case Event.ApplicationSynced(_, var state) ->
                    metadata.set("state", PublicJson.of(state));
            case Event.ApplicationOutOfSync(_, var state) ->
                    metadata.set("state", PublicJson.of(state));
            // The public protocol has a number for it and no message.
            case Event.ApplicationHealthy _ -> {}
        }
        return metadata;
    }

    private static ObjectNode ofPiped(Event.OfPiped event, Sender sender) {
        var metadata = nodes.objectNode();
        put(metadata, "id", sender.pipedId());
        put(metadata, "name", sender.name());
        put(metadata, "version", sender.version());
        put(metadata, "project_id", sender.projectId());
        switch (event) {
            case Event.PluginUnhealthy(var plugin, var reason, var advice) -> {
                put(metadata, "plugin", plugin);
                put(metadata, "reason", reason);
                put(metadata, "advice", advice);
            }
            case Event.PluginHealthy(var plugin) -> put(metadata, "plugin", plugin);
            case Event.PipedStarted(), Event.PipedStopped() -> {}
        }
        return metadata;
    }

    private static void put(ObjectNode object, String key, String value) {
        if (!value.isEmpty()) object.put(key, value);
    }

    private static void put(ObjectNode object, String key, List<String> values) {
        if (!values.isEmpty()) values.forEach(object.putArray(key)::add);
    }
}
