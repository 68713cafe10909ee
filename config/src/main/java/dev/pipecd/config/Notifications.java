// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.util.List;
import java.util.Map;
import java.util.Set;

/// Whom the agent tells about what.
public record Notifications(List<Route> routes, List<Receiver> receivers) {
    /// What can be told of, as people write it.
    public static final Set<String> EVENTS =
            Set.of(
                    "DEPLOYMENT_TRIGGERED",
                    "DEPLOYMENT_PLANNED",
                    "DEPLOYMENT_APPROVED",
                    "DEPLOYMENT_ROLLING_BACK",
                    "DEPLOYMENT_SUCCEEDED",
                    "DEPLOYMENT_FAILED",
                    "DEPLOYMENT_CANCELLED",
                    "DEPLOYMENT_WAIT_APPROVAL",
                    "DEPLOYMENT_TRIGGER_FAILED",
                    "DEPLOYMENT_STARTED",
                    "APPLICATION_SYNCED",
                    "APPLICATION_OUT_OF_SYNC",
                    "APPLICATION_HEALTHY",
                    "PIPED_STARTED",
                    "PIPED_STOPPED",
                    "STAGE_STARTED",
                    "STAGE_SKIPPED",
                    "STAGE_SUCCEEDED",
                    "STAGE_FAILED",
                    "STAGE_CANCELLED");

    /// What only this agent tells of.
    public static final Set<String> OWN_EVENTS = Set.of("PLUGIN_UNHEALTHY", "PLUGIN_HEALTHY");

    public static final Set<String> GROUPS =
            Set.of(
                    "NONE",
                    "DEPLOYMENT",
                    "APPLICATION_SYNC",
                    "APPLICATION_HEALTH",
                    "PIPED",
                    "STAGE");

    public Notifications {
        routes = List.copyOf(routes);
        receivers = List.copyOf(receivers);
    }

    public record Route(String name, String receiver, Filter only, Filter ignored) {}

    public record Filter(
            List<String> events,
            List<String> groups,
            List<String> apps,
            Map<String, String> labels) {
        public Filter {
            events = List.copyOf(events);
            groups = List.copyOf(groups);
            apps = List.copyOf(apps);
            labels = Map.copyOf(labels);
        }
    }

    public record Receiver(String name, Channel channel) {}

    public sealed interface Channel {}

    /// A receiver without a way to reach it.
    public record Nowhere() implements Channel {}

    public record SlackHook(Secret url, Mentioned mentioned) implements Channel {}

    public record SlackBot(Secret token, String channelId, Mentioned mentioned)
            implements Channel {}

    /// The signature is a static secret sent in the header that `signatureKey` names; with an
    /// `hmacKey` the body itself is signed too.
    public record Webhook(Secret url, Secret signatureKey, Secret signatureValue, Secret hmacKey)
            implements Channel {}

    /// Accounts without the leading `@`.
    public record Mentioned(List<String> accounts, List<String> groups) {
        public Mentioned {
            accounts = List.copyOf(accounts);
            groups = List.copyOf(groups);
        }
    }
}
