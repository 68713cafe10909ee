// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.Notifications.SlackBot;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Set;

/// A Slack channel by the token of an app. Slack says in the body, not by the status, whether it
/// took the message.
record SlackBotPost(SlackBot bot, URI api, Sender sender) implements Post {
    static final URI API = URI.create("https://slack.com/api/");

    private static final ObjectMapper json = new ObjectMapper();
    private static final Set<String> PASSING =
            Set.of(
                    "ratelimited",
                    "rate_limited",
                    "internal_error",
                    "fatal_error",
                    "request_timeout",
                    "service_unavailable");

    @Override
    public HttpRequest.Builder request(Notice notice) {
        var message =
                SlackMessage.of(notice, sender, bot.mentioned()).put("channel", bot.channelId());
        return Post.header(
                Post.json(
                        api.resolve("chat.postMessage"),
                        message.toString().getBytes(StandardCharsets.UTF_8)),
                "slack.oauthToken",
                "Authorization",
                // In Base64 it often holds the end of the line it was read from.
                "Bearer " + bot.token().reveal().strip());
    }

    @Override
    public Verdict judge(int status, HttpHeaders headers, byte[] body, Instant now) {
        return switch (Verdict.ofStatus(status, headers, now)) {
            case Verdict.Delivered() -> said(body, headers, now);
            case Verdict.TryAgain again -> again;
            case Verdict.Refused refused -> refused;
        };
    }

    private static Verdict said(byte[] body, HttpHeaders headers, Instant now) {
        try {
            var answer = json.readTree(body);
            if (answer.path("ok").asBoolean()) return new Verdict.Delivered();
            var error = answer.path("error").asText();
            // Only what can be nothing but a code is repeated.
            var why = "Slack says " + (error.matches("[a-z_]{1,60}") ? error : "no");
            return PASSING.contains(error)
                    ? new Verdict.TryAgain(why, Verdict.retryAfter(headers, now))
                    : new Verdict.Refused(why);
        } catch (IOException notJson) {
            return new Verdict.TryAgain("its answer is not JSON");
        }
    }
}
