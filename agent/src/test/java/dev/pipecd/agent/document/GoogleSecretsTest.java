// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GoogleSecretsTest {
    private static final String NAME = "projects/p/secrets/piped/versions/latest";
    private static final String OF_MACHINE =
            "/computeMetadata/v1/instance/service-accounts/default/token";

    @TempDir Path folder;

    private final Asking asking = new Asking(Map.of());
    private SmallServer server;

    @BeforeEach
    void start() throws Exception {
        server =
                new SmallServer()
                        .answer("/v1/" + NAME + ":access", "{\"payload\": {\"data\": \"YTog\"}}")
                        .answer(OF_MACHINE, "{\"access_token\": \"t1\"}")
                        .answer("/token", "{\"access_token\": \"t2\"}");
    }

    @AfterEach
    void stop() {
        asking.close();
        server.close();
    }

    @Test
    void theAccountOfTheMachineReads() throws Exception {
        assertThat(google(Map.of("GCE_METADATA_HOST", server.authority())).version(NAME))
                .isEqualTo("a: ".getBytes(StandardCharsets.UTF_8));

        assertThat(server.asked().getFirst().header("Metadata-flavor")).isEqualTo("Google");
        assertThat(server.asked().getLast().header("Authorization")).isEqualTo("Bearer t1");
    }

    /// By an address of this machine that is none of those reached without a proxy anyway.
    @Test
    void theAccountOfTheMachineIsAskedForWithoutAProxy() throws Exception {
        try (var behindProxy = new Asking(Map.of("HTTP_PROXY", "http://127.0.0.1:1"))) {
            var metadata = server.authority().replace("127.0.0.1", "0.0.0.0");

            var read = google(behindProxy, Map.of("GCE_METADATA_HOST", metadata)).version(NAME);

            assertThat(read).isEqualTo("a: ".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aServiceAccountProvesItselfByItsKey() throws Exception {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        var pair = generator.generateKeyPair();
        var file = keyFile("service_account", pem(pair.getPrivate().getEncoded()));

        google(Map.of("GOOGLE_APPLICATION_CREDENTIALS", file.toString())).version(NAME);

        assertThat(server.asked().getLast().header("Authorization")).isEqualTo("Bearer t2");
        var form = server.asked().getFirst().form();
        assertThat(form).containsEntry("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
        var parts = form.getOrDefault("assertion", "").split("\\.", -1);
        assertThat(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"iss\":\"me@p.iam\",\"scope\":\"https://www.googleapis.com/auth/cloud-platform\",\"aud\":\"%s/token\",\"iat\":1000,\"exp\":1600}"
                                .formatted(server.address()));
        var check = Signature.getInstance("SHA256withRSA");
        check.initVerify(pair.getPublic());
        check.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        assertThat(check.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
    }

    @Test
    void aPersonProvesItselfByItsLogin() throws Exception {
        var login =
                Files.writeString(
                        folder.resolve("login.json"),
                        """
                        {"type": "authorized_user", "client_id": "c", "client_secret": "s",
                         "refresh_token": "1//r", "token_uri": "%s/token"}
                        """
                                .formatted(server.address()));

        readBy(login.toString());

        assertThat(server.asked().getFirst().form())
                .isEqualTo(
                        Map.of(
                                "grant_type", "refresh_token",
                                "client_id", "c",
                                "client_secret", "s",
                                "refresh_token", "1//r"));
        assertThat(server.asked().getLast().header("Authorization")).isEqualTo("Bearer t2");
    }

    @Test
    void aMachineWithoutAnAccountIsToldWithTheVariable() {
        server.refuse(404);

        assertThatThrownBy(
                        () -> google(Map.of("GCE_METADATA_HOST", server.authority())).version(NAME))
                .hasMessage(
                        "GOOGLE_APPLICATION_CREDENTIALS: not set, and the machine has no account: %s: answers 404 (expected: the agent's configuration)",
                        server.authority());
    }

    @Test
    void whatCannotBeUsedIsTold() throws Exception {
        assertThatThrownBy(() -> google(Map.of()).version("piped"))
                .hasMessage(
                        "--config-gcp-secret: piped (expected: projects/PROJECT/secrets/NAME/versions/VERSION)");
        var strange = keyFile("gdch_service_account", "");
        assertThatThrownBy(() -> readBy(strange.toString()))
                .hasMessage(
                        "GOOGLE_APPLICATION_CREDENTIALS: type \"gdch_service_account\" (expected: service_account, external_account or authorized_user)");
        var broken = keyFile("service_account", pem("hunter2".getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(() ->
                        google(Map.of("GOOGLE_APPLICATION_CREDENTIALS", broken.toString()))
                                .version(NAME))
                .hasMessage("private_key: ****** (expected: an RSA key in PEM form)");
    }

    @Test
    void aKeyFileThatCannotBeReadIsToldByItsVariable() throws Exception {
        var garbage = Files.writeString(folder.resolve("garbage"), "hunter2");

        assertThatThrownBy(() -> readBy("/no/such.json"))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "GOOGLE_APPLICATION_CREDENTIALS: /no/such.json: there is no such file (expected: a readable file)");
        assertThatThrownBy(() -> readBy(folder.toString()))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "GOOGLE_APPLICATION_CREDENTIALS: %s: Is a directory (expected: a readable file)",
                        folder);
        assertThatThrownBy(() -> readBy(garbage.toString()))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "GOOGLE_APPLICATION_CREDENTIALS: %s (expected: a key in JSON form)",
                        garbage);
    }

    private byte[] readBy(String keyFile) throws Exception {
        return google(Map.of("GOOGLE_APPLICATION_CREDENTIALS", keyFile)).version(NAME);
    }

    private GoogleSecrets google(Map<String, String> environment) {
        return google(asking, environment);
    }

    private GoogleSecrets google(Asking by, Map<String, String> environment) {
        return new GoogleSecrets(
                by,
                new GoogleAccount(
                        by, environment, InstantSource.fixed(Instant.ofEpochSecond(1000))),
                server.address());
    }

    private Path keyFile(String type, String key) throws Exception {
        return Files.writeString(
                folder.resolve(type + key.length()),
                JsonNodeFactory.instance
                        .objectNode()
                        .put("type", type)
                        .put("client_email", "me@p.iam")
                        .put("private_key", key)
                        .put("token_uri", server.address() + "/token")
                        .toString());
    }

    private static String pem(byte[] der) {
        return "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
                .formatted(Base64.getMimeEncoder().encodeToString(der));
    }
}
