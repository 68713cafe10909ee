// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import dev.pipecd.domain.Problem;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Base64;

/// What is kept in Google Secret Manager.
final class GoogleSecrets {
    private static final String NAME = "projects/[\\w:.-]+/secrets/[\\w-]+/versions/[\\w-]+";

    private final Asking asking;
    private final GoogleAccount account;
    private final String server;

    GoogleSecrets(Asking asking, GoogleAccount account, String server) {
        this.asking = asking;
        this.account = account;
        this.server = server;
    }

    /// @param name PROJECT, secret and version, in full
    byte[] version(String name) throws InterruptedException {
        if (!name.matches(NAME))
            throw invalid(
                    "--config-gcp-secret: %s (expected: projects/PROJECT/secrets/NAME/versions/VERSION)"
                            .formatted(name),
                    "Give the full name; the newest version is called latest.");
        var answer =
                asking.ask(
                        HttpRequest.newBuilder(URI.create(server + "/v1/" + name + ":access"))
                                .header("Authorization", "Bearer " + account.token()));
        try {
            return Base64.getDecoder().decode(answer.at("/payload/data").asText(""));
        } catch (IllegalArgumentException e) {
            throw invalid(
                    name + ": ****** (expected: Base64)",
                    "Try again; this is a fault of the server.");
        }
    }

    private static Problem invalid(String message, String advice) {
        return new Problem(Problem.Code.SETTING_INVALID, message, advice);
    }
}
