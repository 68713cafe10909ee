// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.piped;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.Notifications.Filter;
import dev.pipecd.config.Notifications.Mentioned;
import dev.pipecd.config.Notifications.Nowhere;
import dev.pipecd.config.Notifications.Route;
import dev.pipecd.config.Notifications.SlackBot;
import dev.pipecd.config.Notifications.SlackHook;
import dev.pipecd.config.Notifications.Webhook;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NotificationsTest {
    @Test
    void routesAndReceiversAreRead() {
        var notifications = piped(PipedDocumentTest.FULL).value().additions().notifications();

        assertThat(notifications.routes())
                .containsExactly(
                        new Route(
                                "all",
                                "hook",
                                new Filter(
                                        List.of("DEPLOYMENT_FAILED"),
                                        List.of(),
                                        List.of("a"),
                                        Map.of("x", "z")),
                                new Filter(List.of(), List.of("PIPED"), List.of(), Map.of())));
        assertThat(notifications.receivers().get(0).channel())
                .isInstanceOfSatisfying(
                        Webhook.class,
                        hook -> {
                            assertThat(hook.url().reveal()).isEqualTo("https://example.com/hook");
                            assertThat(hook.signatureKey().reveal()).isEqualTo("PipeCD-Signature");
                            assertThat(hook.signatureValue().reveal()).isEqualTo("hook-secret");
                            assertThat(hook.hmacKey().reveal()).isEqualTo("hook-key");
                        });
        assertThat(notifications.receivers().get(1).channel())
                .isInstanceOfSatisfying(
                        SlackBot.class,
                        bot -> {
                            assertThat(bot.token().reveal()).isEqualTo("slack-token");
                            assertThat(bot.channelId()).isEqualTo("C1");
                            assertThat(bot.mentioned())
                                    .isEqualTo(
                                            new Mentioned(List.of("ann", "bob"), List.of("ops")));
                        });
        assertThat(notifications.receivers().get(2).channel()).isInstanceOf(SlackHook.class);
    }

    @Test
    void aRouteToNobodyIsAMistake() {
        assertThat(mistakes(() -> piped(with("{routes: [{name: a, receiver: nobody}]}"))))
                .containsExactly(
                        "piped.yaml:4:53: spec.notifications.routes[0].receiver: \"nobody\" (expected: the name of a receiver)");
    }

    @Test
    void anEventThatDoesNotExistIsWarnedOf() {
        assertThat(
                        warnings(
                                piped(
                                        with(
                                                "{routes: [{receiver: r, events: [DEPLOYMENT_FAILED, DEPLOYMENT_FALED]}], receivers: [{name: r, webhook: {url: u}}]}"))))
                .containsExactly(
                        "piped.yaml:4:75: spec.notifications.routes[0].events[1]: \"DEPLOYMENT_FALED\" (never matches; did you mean \"DEPLOYMENT_FAILED\"?)");
    }

    @Test
    void eventsThatOnlyThisAgentTellsOfAreKnown() {
        assertThat(
                        warnings(
                                piped(
                                        with(
                                                "{routes: [{receiver: r, events: [PLUGIN_UNHEALTHY, PLUGIN_HEALTHY]}], receivers: [{name: r, webhook: {url: u}}]}"))))
                .isEmpty();
    }

    @Test
    void aReceiverWithoutAWayIsWarnedOf() {
        var loaded = piped(with("{receivers: [{name: r}]}"));

        assertThat(loaded.value().additions().notifications().receivers().getFirst().channel())
                .isEqualTo(new Nowhere());
        assertThat(warnings(loaded))
                .containsExactly(
                        "piped.yaml:4:43: spec.notifications.receivers[0].name: neither slack nor webhook (its routes are ignored)");
    }

    @Test
    void slackWinsOverAWebhook() {
        var loaded =
                piped(with("{receivers: [{name: r, slack: {hookURL: h}, webhook: {url: u}}]}"));

        assertThat(loaded.value().additions().notifications().receivers().getFirst().channel())
                .isInstanceOf(SlackHook.class);
        assertThat(warnings(loaded))
                .containsExactly(
                        "piped.yaml:4:76: spec.notifications.receivers[0].webhook: beside slack (ignored: a receiver has one of the two)");
    }

    @Test
    void oneWayToSlackIsEnough() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        with(
                                                "{receivers: [{name: r, slack: {hookURL: h, oauthToken: t}}]}"))))
                .containsExactly(
                        "piped.yaml:4:63: spec.notifications.receivers[0].slack.hookURL: beside a token or channelID (expected: one way to Slack)");
        assertThat(
                        mistakes(() ->
                                piped(
                                        with(
                                                "{receivers: [{name: r, slack: {oauthToken: t, oauthTokenFile: f, channelID: c}}]}"))))
                .containsExactly(
                        "piped.yaml:4:53: spec.notifications.receivers[0].slack: 2 tokens and no hookURL (expected: hookURL, or one of oauthToken, oauthTokenData, oauthTokenFile)");
        assertThat(mistakes(() -> piped(with("{receivers: [{name: r, slack: {oauthToken: t}}]}"))))
                .containsExactly(
                        "piped.yaml:4:53: spec.notifications.receivers[0].slack.channelID: missing (expected: text)");
    }

    @Test
    void aWebhookNeedsAUrlAndOneSignature() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        with(
                                                "{receivers: [{name: r, webhook: {signatureValue: a, signatureValueFile: b}}]}"))))
                .containsExactly(
                        "piped.yaml:4:55: spec.notifications.receivers[0].webhook.url: missing (expected: a URL)",
                        "piped.yaml:4:95: spec.notifications.receivers[0].webhook.signatureValueFile: beside signatureValue (expected: only one of the two)");
    }

    private static String with(String notifications) {
        return "apiVersion: pipecd.dev/v1beta1\nkind: Piped\nspec: {projectID: p, pipedID: i, pipedKeyFile: k, apiAddress: 'a:1',\n       notifications: "
                + notifications
                + "}\n";
    }
}
