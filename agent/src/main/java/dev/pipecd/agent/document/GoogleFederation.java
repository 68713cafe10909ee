// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.config.Unreadable;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// Workload identity federation: what somebody else says of who the agent is, given to Google in
/// exchange for a token.
final class GoogleFederation {
    private static final String SOURCE = "credential_source";
    private static final String IMPERSONATION = "service_account_impersonation_url";

    private final Asking asking;

    GoogleFederation(Asking asking) {
        this.asking = asking;
    }

    /// @param written the credentials of type `external_account`
    String token(JsonNode written) throws InterruptedException {
        var form =
                Map.of(
                        "grant_type",
                        "urn:ietf:params:oauth:grant-type:token-exchange",
                        "requested_token_type",
                        "urn:ietf:params:oauth:token-type:access_token",
                        "audience",
                        written.path("audience").asText(),
                        "scope",
                        GoogleAccount.SCOPE,
                        "subject_token_type",
                        written.path("subject_token_type").asText(),
                        "subject_token",
                        subject(written.path(SOURCE)));
        var exchange = GoogleAccount.address("token_url", written.path("token_url").asText());
        var token =
                GoogleAccount.token(
                        asking.ask(GoogleAccount.post(exchange, form)), "/access_token");
        return written.hasNonNull(IMPERSONATION)
                ? ofServiceAccount(written.path(IMPERSONATION).asText(), token)
                : token;
    }

    private String ofServiceAccount(String written, String token) throws InterruptedException {
        var asked = JsonNodeFactory.instance.objectNode();
        asked.putArray("scope").add(GoogleAccount.SCOPE);
        var question =
                HttpRequest.newBuilder(GoogleAccount.address(IMPERSONATION, written))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(asked.toString()));
        return GoogleAccount.token(asking.ask(question), "/accessToken");
    }

    /// What the other one says; a file of it is written anew before it is too old.
    private String subject(JsonNode source) throws InterruptedException {
        if (source.hasNonNull("file"))
            return token(source, "file", inFile(source.path("file").asText()));
        if (source.hasNonNull("url")) return token(source, "url", by(source));
        throw GoogleAccount.invalid(
                SOURCE
                        + ": %s (expected: file or url)"
                                .formatted(
                                        source.isEmpty()
                                                ? "missing"
                                                : String.join(
                                                        ", ",
                                                        (Iterable<String>) source::fieldNames)),
                "Let the credentials name a file or an address that holds the token; those of AWS and of programs are not supported.");
    }

    private static byte[] inFile(String file) {
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException e) {
            throw GoogleAccount.invalid(
                    SOURCE
                            + ".file: %s: %s (expected: a readable file)"
                                    .formatted(file, Unreadable.because(e)),
                    "Let the platform write the agent's token there, and the agent read it.");
        }
    }

    private byte[] by(JsonNode source) throws InterruptedException {
        var question =
                HttpRequest.newBuilder(
                        GoogleAccount.address(SOURCE + ".url", source.path("url").asText()));
        source.path("headers")
                .properties()
                .forEach(header -> question.header(header.getKey(), header.getValue().asText()));
        return asking.content(question);
    }

    private static String token(JsonNode source, String from, byte[] content) {
        var format = source.path("format");
        var text = new String(content, StandardCharsets.UTF_8);
        var token =
                format.path("type").asText().equals("json")
                        ? field(text, format.path("subject_token_field_name").asText())
                        : text.strip();
        if (!token.isEmpty()) return token;
        // Without a word of it: it may be the token in another form.
        throw GoogleAccount.invalid(
                "%s.%s: holds no token (expected: one, as %s.format says)"
                        .formatted(SOURCE, from, SOURCE),
                "Correct the format, or what writes the token.");
    }

    private static String field(String json, String name) {
        try {
            return new ObjectMapper().readTree(json).path(name).asText();
        } catch (JsonProcessingException e) {
            return "";
        }
    }
}
