// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.ApplicationConfig.Mention;
import dev.pipecd.config.Notifications.Mentioned;
import dev.pipecd.wire.model.Deployment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/// Whom an application wants to be named when it is told of. A deployment carries it in its
/// document, where the public agent puts it too, so that a restart does not lose it.
public final class Mentions {
    public static final String KEY = "DeploymentNotification";

    private static final ObjectMapper json = new ObjectMapper();

    private Mentions() {}

    /// As a deployment carries it; empty when nobody is to be named.
    public static Optional<String> written(List<Mention> mentions) {
        if (mentions.isEmpty()) return Optional.empty();
        var document = json.createObjectNode();
        var list = document.putArray("mentions");
        for (var mention : mentions) {
            var one = list.addObject().put("event", mention.event());
            mention.slackUsers().forEach(one.putArray("slackUsers")::add);
            mention.slackGroups().forEach(one.putArray("slackGroups")::add);
        }
        return Optional.of(document.toString());
    }

    static Mentioned of(Deployment deployment, EventKind kind) {
        var accounts = new LinkedHashSet<String>();
        var groups = new LinkedHashSet<String>();
        for (var mention : read(deployment).path("mentions")) {
            var event = mention.path("event").asText();
            if (!event.equals("*") && !event.equals(kind.name())) continue;
            accounts.addAll(texts(mention.path("slack")));
            accounts.addAll(texts(mention.path("slackUsers")));
            groups.addAll(texts(mention.path("slackGroups")));
        }
        return new Mentioned(List.copyOf(accounts), List.copyOf(groups));
    }

    private static JsonNode read(Deployment deployment) {
        var written = deployment.getMetadataV2().getShared().getKeyValuesMap().get(KEY);
        if (written == null) return json.missingNode();
        try {
            return json.readTree(written);
        } catch (JsonProcessingException notOurs) {
            return json.missingNode();
        }
    }

    private static List<String> texts(JsonNode list) {
        var texts = new ArrayList<String>();
        list.forEach(item -> texts.add(item.asText()));
        return texts;
    }
}
