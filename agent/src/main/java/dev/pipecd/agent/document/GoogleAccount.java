// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.Unreadable;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.stream.Collectors;

/// Who the agent is to Google: whom the file says that `GOOGLE_APPLICATION_CREDENTIALS` names, else
/// the account the machine runs as.
final class GoogleAccount {
    static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";
    private static final String NAMED = "GOOGLE_APPLICATION_CREDENTIALS";
    private static final String TOKENS = "https://oauth2.googleapis.com/token";

    private final Asking asking;
    private final Map<String, String> environment;
    private final InstantSource clock;

    GoogleAccount(Asking asking, Map<String, String> environment, InstantSource clock) {
        this.asking = asking;
        this.environment = Map.copyOf(environment);
        this.clock = clock;
    }

    /// By which it may read for some minutes.
    String token() throws InterruptedException {
        var file = environment.getOrDefault(NAMED, "");
        if (file.isEmpty()) return ofMachine();
        var written = read(file);
        var type = written.path("type").asText();
        return switch (type) {
            case "service_account" -> ofServiceAccount(written);
            case "authorized_user" -> ofPerson(written);
            case "external_account" -> new GoogleFederation(asking).token(written);
            default ->
                    throw invalid(
                            NAMED
                                    + ": type \"%s\" (expected: service_account, external_account or authorized_user)"
                                            .formatted(type),
                            "Name the key of a service account, or run where the machine has one.");
        };
    }

    private String ofMachine() throws InterruptedException {
        var host = environment.getOrDefault("GCE_METADATA_HOST", "metadata.google.internal");
        var question =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://%s/computeMetadata/v1/instance/service-accounts/default/token"
                                                .formatted(host)))
                        .header("Metadata-Flavor", "Google");
        try {
            return token(asking.askMachine(question), "/access_token");
        } catch (Problem e) {
            throw new Problem(
                    e.code(),
                    "%s: not set, and the machine has no account: %s".formatted(NAMED, e.message()),
                    "Set it to the file of the agent's credentials, or run where the machine has an account.",
                    e);
        }
    }

    private String ofServiceAccount(JsonNode key) throws InterruptedException {
        var tokens = address("token_uri", key.path("token_uri").asText());
        var form =
                Map.of(
                        "grant_type",
                        "urn:ietf:params:oauth:grant-type:jwt-bearer",
                        "assertion",
                        new GoogleKey(key).assertion(clock.instant()));
        return token(asking.ask(post(tokens, form)), "/access_token");
    }

    /// As `gcloud auth application-default login` leaves it.
    private String ofPerson(JsonNode login) throws InterruptedException {
        var form =
                Map.of(
                        "grant_type", "refresh_token",
                        "client_id", login.path("client_id").asText(),
                        "client_secret", login.path("client_secret").asText(),
                        "refresh_token", login.path("refresh_token").asText());
        var tokens = address("token_uri", login.path("token_uri").asText(TOKENS));
        return token(asking.ask(post(tokens, form)), "/access_token");
    }

    private static JsonNode read(String file) {
        try {
            return new ObjectMapper().readTree(Files.readAllBytes(Path.of(file)));
        } catch (JsonProcessingException e) {
            // Without the cause: its text might quote the key.
            throw invalid(
                    NAMED + ": %s (expected: a key in JSON form)".formatted(file),
                    "Download the key of the service account again.");
        } catch (IOException e) {
            throw invalid(
                    NAMED
                            + ": %s: %s (expected: a readable file)"
                                    .formatted(file, Unreadable.because(e)),
                    "Correct the path or the file's permissions, or take the variable away where"
                            + " the machine has an account.");
        }
    }

    static URI address(String name, String written) {
        if (written.matches("https?://[\\w.:/@%-]+")) return URI.create(written);
        throw invalid(
                "%s: \"%s\" (expected: a URL)".formatted(name, written),
                "Download the file of the agent's credentials again.");
    }

    static HttpRequest.Builder post(URI address, Map<String, String> form) {
        var body =
                form.entrySet().stream()
                        .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                        .collect(Collectors.joining("&"));
        return HttpRequest.newBuilder(address)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static String token(JsonNode answer, String at) {
        var token = answer.at(at).asText("");
        if (!token.isEmpty()) return token;
        throw invalid(
                "%s: missing (expected: text)".formatted(at.substring(1)),
                "Check the agent's account.");
    }

    static Problem invalid(String message, String advice) {
        return new Problem(Problem.Code.SETTING_INVALID, message, advice);
    }
}
