// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.Notifications;
import dev.pipecd.config.Notifications.Channel;
import dev.pipecd.config.Notifications.Filter;
import dev.pipecd.config.Notifications.Mentioned;
import dev.pipecd.config.Notifications.Nowhere;
import dev.pipecd.config.Notifications.Receiver;
import dev.pipecd.config.Notifications.Route;
import dev.pipecd.config.Notifications.SlackBot;
import dev.pipecd.config.Notifications.SlackHook;
import dev.pipecd.config.Notifications.Webhook;
import dev.pipecd.config.Secret;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The `notifications` of a Piped document.
final class NotificationsReader {
    private static final Set<String> KNOWN_EVENTS =
            Stream.concat(Notifications.EVENTS.stream(), Notifications.OWN_EVENTS.stream())
                    .collect(Collectors.toUnmodifiableSet());

    private NotificationsReader() {}

    static Notifications read(Fields notifications) {
        var once = new Once("receiver");
        var names = new HashSet<String>();
        var receivers =
                notifications
                        .at("receivers")
                        .each(receiver -> {
                            var name = receiver.at("name");
                            once.check(name, name.required());
                            names.add(name.text());
                            return new Receiver(name.text(), channel(receiver));
                        });
        return new Notifications(
                notifications.at("routes").each(route -> route(route, names)), receivers);
    }

    @Keys(
            """
            notifications.routes[].receiver | | | Who hears of it, by name: [notifications](../guides/notifications.md).
            notifications.routes[].name | | | What the route is called.
            notifications.routes[].events, groups, apps, labels | lists, pairs | everything | What is told.
            notifications.routes[].ignoreEvents, ignoreGroups, ignoreApps, ignoreLabels | lists, pairs | nothing | What is not, though it were among that.
            """)
    private static Route route(Fields route, Set<String> receivers) {
        var receiver = route.at("receiver");
        var name = receiver.required();
        if (receiver.isWritten() && !receivers.contains(name))
            receiver.mistake(
                    "%s (expected: the name of a receiver)".formatted(Telling.quoted(name)));
        return new Route(
                route.at("name").text(),
                name,
                filter(
                        route.at("events"),
                        route.at("groups"),
                        route.at("apps"),
                        route.at("labels")),
                filter(
                        route.at("ignoreEvents"),
                        route.at("ignoreGroups"),
                        route.at("ignoreApps"),
                        route.at("ignoreLabels")));
    }

    private static Filter filter(Field events, Field groups, Field apps, Field labels) {
        return new Filter(
                known(events, KNOWN_EVENTS),
                known(groups, Notifications.GROUPS),
                apps.texts(),
                labels.pairs());
    }

    private static List<String> known(Field field, Set<String> names) {
        return field.texts((spot, text) -> {
            var meant =
                    Telling.nearest(text, names)
                            .map("; did you mean \"%s\"?"::formatted)
                            .orElse("");
            if (!names.contains(text))
                spot.warn("%s (never matches%s)".formatted(Telling.quoted(text), meant));
        });
    }

    @Keys(
            """
            notifications.receivers[].name | | | Once each; `slack` or `webhook` beside it.
            """)
    private static Channel channel(Fields receiver) {
        var slack = receiver.at("slack");
        var webhook = receiver.at("webhook");
        if (slack.isWritten()) {
            if (webhook.isWritten())
                webhook.warn("beside slack (ignored: a receiver has one of the two)");
            webhook.json();
            return slack.section(NotificationsReader::slack);
        }
        if (webhook.isWritten()) return webhook.section(NotificationsReader::webhook);
        receiver.at("name").warn("neither slack nor webhook (its routes are ignored)");
        return new Nowhere();
    }

    @Keys(
            """
            notifications.receivers[].slack.hookURL | | | An incoming webhook of Slack; without the keys of the next two lines.
            notifications.receivers[].slack.oauthToken, oauthTokenData, oauthTokenFile | | | One token of a Slack app.
            notifications.receivers[].slack.channelID | | none, with `hookURL` | The channel a token posts to; required with one.
            notifications.receivers[].slack.mentionedAccounts, mentionedGroups | | | Named in each message, by their ids.
            """)
    private static Channel slack(Fields slack) {
        var hook = slack.at("hookURL").secret();
        var tokens =
                List.of(
                        slack.at("oauthToken").secret(),
                        slack.at("oauthTokenData").base64(),
                        slack.at("oauthTokenFile").file());
        var channel = slack.at("channelID");
        var mentioned =
                new Mentioned(
                        slack.at("mentionedAccounts").texts().stream()
                                .map(name -> name.replaceFirst("^@", ""))
                                .toList(),
                        slack.at("mentionedGroups").texts());
        var given = tokens.stream().filter(Secret::isSet).toList();
        if (hook.isSet()) {
            if (!given.isEmpty() || !channel.text().isEmpty())
                slack.at("hookURL")
                        .mistake("beside a token or channelID (expected: one way to Slack)");
            return new SlackHook(hook, mentioned);
        }
        if (given.size() != 1)
            slack.mistake(
                    "%d tokens and no hookURL (expected: hookURL, or one of oauthToken, oauthTokenData, oauthTokenFile)"
                            .formatted(given.size()));
        return new SlackBot(
                Stream.concat(given.stream(), Stream.of(Secret.none())).findFirst().orElseThrow(),
                channel.required(),
                mentioned);
    }

    @Keys(
            """
            notifications.receivers[].webhook.url | | | Gets each event as JSON.
            notifications.receivers[].webhook.signatureKey | | | The header a fixed secret is sent in.
            notifications.receivers[].webhook.signatureValue, signatureValueFile | | | That secret, one of the two.
            notifications.receivers[].webhook.hmacKey | | | Signs each body: header `PipeCD-Signature-256`. Ours.
            """)
    private static Channel webhook(Fields webhook) {
        var value = webhook.at("signatureValue").secret();
        var file = webhook.at("signatureValueFile").file();
        if (value.isSet() && file.isSet())
            webhook.at("signatureValueFile")
                    .mistake("beside signatureValue (expected: only one of the two)");
        var url = webhook.at("url");
        url.requireText("a URL");
        return new Webhook(
                url.secret(),
                webhook.at("signatureKey").secret("PipeCD-Signature"),
                value.isSet() ? value : file,
                webhook.at("hmacKey").secret());
    }
}
