// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Instant;

/// The way to one receiver: what it is sent, and what its answer means.
sealed interface Post permits WebhookPost, SlackHookPost, SlackBotPost {
    HttpRequest.Builder request(Notice notice);

    default Verdict judge(int status, HttpHeaders headers, byte[] body, Instant now) {
        return Verdict.ofStatus(status, headers, now);
    }

    static HttpRequest.Builder json(URI address, byte[] body) {
        return HttpRequest.newBuilder(address)
                .header("Content-Type", "application/json; charset=utf-8")
                .header("User-Agent", "pipecd-piped")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    }

    /// What it is called, or holds, may be a secret too: no message quotes it.
    static HttpRequest.Builder header(
            HttpRequest.Builder request, String key, String name, String value) {
        try {
            return request.header(name, value);
        } catch (IllegalArgumentException quotesIt) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "%s: %s (expected: a header of HTTP, of one line)".formatted(key, Secret.MASK),
                    "Correct it in the agent's `notifications.receivers`.");
        }
    }

    /// The address of a hook is a secret: no message quotes it.
    static URI address(String key, Secret written) {
        try {
            var address = new URI(written.reveal().strip());
            var scheme = address.getScheme();
            if (address.getHost() != null && ("https".equals(scheme) || "http".equals(scheme)))
                return address;
        } catch (URISyntaxException quotesIt) {
            // Told below, without its text.
        }
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: %s (expected: an http or https URL)".formatted(key, Secret.MASK),
                "Correct it in the agent's `notifications.receivers`.");
    }
}
