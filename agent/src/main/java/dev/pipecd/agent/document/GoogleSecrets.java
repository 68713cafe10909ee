// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;

/// What is kept in Google Secret Manager, read as the account the machine runs as, or as the
/// service account whose key `GOOGLE_APPLICATION_CREDENTIALS` names.
final class GoogleSecrets {
    private static final String NAME = "projects/[\\w:.-]+/secrets/[\\w-]+/versions/[\\w-]+";
    private static final String SCOPE = "https://www.googleapis.com/auth/cloud-platform";
    private static final Duration VALID = Duration.ofMinutes(10);

    private final Asking asking;
    private final Map<String, String> environment;
    private final InstantSource clock;
    private final String server;

    GoogleSecrets(
            Asking asking, Map<String, String> environment, InstantSource clock, String server) {
        this.asking = asking;
        this.environment = Map.copyOf(environment);
        this.clock = clock;
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
                                .header("Authorization", "Bearer " + token()));
        try {
            return Base64.getDecoder().decode(answer.at("/payload/data").asText(""));
        } catch (IllegalArgumentException e) {
            throw invalid(
                    name + ": ****** (expected: Base64)",
                    "Try again; this is a fault of the server.");
        }
    }

    private String token() throws InterruptedException {
        var keyFile = environment.getOrDefault("GOOGLE_APPLICATION_CREDENTIALS", "");
        var answer =
                keyFile.isEmpty() ? asking.askMachine(ofMachine()) : asking.ask(byKey(keyFile));
        var token = answer.at("/access_token").asText("");
        if (token.isEmpty())
            throw invalid("access_token: missing (expected: text)", "Check the agent's account.");
        return token;
    }

    private HttpRequest.Builder ofMachine() {
        var host = environment.getOrDefault("GCE_METADATA_HOST", "metadata.google.internal");
        return HttpRequest.newBuilder(
                        URI.create(
                                "http://%s/computeMetadata/v1/instance/service-accounts/default/token"
                                        .formatted(host)))
                .header("Metadata-Flavor", "Google");
    }

    private HttpRequest.Builder byKey(String file) {
        var key = key(file);
        if (!key.path("type").asText().equals("service_account"))
            throw invalid(
                    "GOOGLE_APPLICATION_CREDENTIALS: type \"%s\" (expected: service_account)"
                            .formatted(key.path("type").asText()),
                    "Name the key of a service account, or run where the machine has one.");
        var tokens = key.path("token_uri").asText();
        if (!tokens.matches("https?://[\\w.:/-]+"))
            throw invalid(
                    "token_uri: \"%s\" (expected: a URL)".formatted(tokens),
                    "Download the key of the service account again.");
        var form =
                "grant_type="
                        + URLEncoder.encode(
                                "urn:ietf:params:oauth:grant-type:jwt-bearer",
                                StandardCharsets.UTF_8)
                        + "&assertion="
                        + assertion(key);
        return HttpRequest.newBuilder(URI.create(tokens))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form));
    }

    private static JsonNode key(String file) {
        try {
            return new ObjectMapper().readTree(Files.readAllBytes(Path.of(file)));
        } catch (JsonProcessingException e) {
            // Without the cause: its text might quote the key.
            throw invalid(
                    "GOOGLE_APPLICATION_CREDENTIALS: %s (expected: a key in JSON form)"
                            .formatted(file),
                    "Download the key of the service account again.");
        } catch (IOException e) {
            throw invalid(
                    "GOOGLE_APPLICATION_CREDENTIALS: %s: %s (expected: a readable file)"
                            .formatted(file, Unreadable.because(e)),
                    "Correct the path or the file's permissions, or take the variable away where"
                            + " the machine has an account.");
        }
    }

    private String assertion(JsonNode key) {
        var now = clock.instant();
        var header = JsonNodeFactory.instance.objectNode().put("alg", "RS256").put("typ", "JWT");
        var claims =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("iss", key.path("client_email").asText())
                        .put("scope", SCOPE)
                        .put("aud", key.path("token_uri").asText())
                        .put("iat", now.getEpochSecond())
                        .put("exp", now.plus(VALID).getEpochSecond());
        var signed =
                part(header.toString().getBytes(StandardCharsets.UTF_8))
                        + "."
                        + part(claims.toString().getBytes(StandardCharsets.UTF_8));
        return signed + "." + part(signature(key.path("private_key").asText(), signed));
    }

    private static String part(byte[] content) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(content);
    }

    private static byte[] signature(String pem, String text) {
        try {
            var der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
            var signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(
                    KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der)));
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Without the cause: its text might quote the key.
            throw invalid(
                    "private_key: ****** (expected: an RSA key in PEM form)",
                    "Download the key of the service account again.");
        }
    }

    private static Problem invalid(String message, String advice) {
        return new Problem(Problem.Code.SETTING_INVALID, message, advice);
    }
}
