// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GoogleFederationTest {
    private static final String IMPERSONATION =
            "/v1/projects/-/serviceAccounts/me@p.iam.gserviceaccount.com:generateAccessToken";

    @TempDir Path folder;

    private final Asking asking = new Asking(Map.of());
    private SmallServer server;

    @BeforeEach
    void start() throws Exception {
        server =
                new SmallServer()
                        .answer("/sts", "{\"access_token\": \"t1\"}")
                        .answer(IMPERSONATION, "{\"accessToken\": \"t2\"}")
                        .answer("/text", "by address\n")
                        .answer("/json", "{\"value\": \"in a field\"}");
    }

    @AfterEach
    void stop() {
        asking.close();
        server.close();
    }

    @Test
    void whatAFileSaysIsExchanged() throws Exception {
        var token = Files.writeString(folder.resolve("token"), "by file\n");

        assertThat(token("\"file\": \"%s\"".formatted(token), "")).isEqualTo("t1");

        assertThat(server.asked().getFirst().form())
                .isEqualTo(
                        Map.of(
                                "grant_type", "urn:ietf:params:oauth:grant-type:token-exchange",
                                "requested_token_type",
                                        "urn:ietf:params:oauth:token-type:access_token",
                                "audience", "//iam.googleapis.com/pool",
                                "scope", "https://www.googleapis.com/auth/cloud-platform",
                                "subject_token_type", "urn:ietf:params:oauth:token-type:jwt",
                                "subject_token", "by file"));
    }

    @Test
    void whatAnAddressSaysIsExchanged() throws Exception {
        var address = "\"url\": \"%s/%s\"";

        token(address.formatted(server.address(), "text"), "");
        token(
                address.formatted(server.address(), "json")
                        + ", \"headers\": {\"X-Who\": \"me\"}, \"format\": {\"type\": \"json\", \"subject_token_field_name\": \"value\"}",
                "");

        assertThat(server.asked().get(1).form()).containsEntry("subject_token", "by address");
        assertThat(server.asked().get(2).header("X-who")).isEqualTo("me");
        assertThat(server.asked().get(3).form()).containsEntry("subject_token", "in a field");
    }

    @Test
    void aServiceAccountIsSpokenForWhereTheCredentialsNameOne() throws Exception {
        var more =
                ", \"service_account_impersonation_url\": \"%s\""
                        .formatted(server.address() + IMPERSONATION);

        assertThat(token("\"url\": \"%s/text\"".formatted(server.address()), more)).isEqualTo("t2");

        var asked = server.asked().getLast();
        assertThat(asked.header("Authorization")).isEqualTo("Bearer t1");
        assertThat(asked.body())
                .isEqualTo("{\"scope\":[\"https://www.googleapis.com/auth/cloud-platform\"]}");
    }

    @Test
    void aSourceThatCannotBeUsedIsTold() throws Exception {
        assertThatThrownBy(() -> token("\"environment_id\": \"aws1\", \"region_url\": \"x\"", ""))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "credential_source: environment_id, region_url (expected: file or url)");
        assertThatThrownBy(() -> token("", ""))
                .hasMessage("credential_source: missing (expected: file or url)");
        assertThatThrownBy(() -> token("\"file\": \"/no/such\"", ""))
                .hasMessage(
                        "credential_source.file: /no/such: there is no such file (expected: a readable file)");
        assertThatThrownBy(() ->
                        token(
                                "\"url\": \"%s/text\", \"format\": {\"type\": \"json\"}"
                                        .formatted(server.address()),
                                ""))
                .hasMessage(
                        "credential_source.url: holds no token (expected: one, as credential_source.format says)");
        assertThatThrownBy(() -> token("\"url\": \"gopher\"", ""))
                .hasMessage("credential_source.url: \"gopher\" (expected: a URL)");
    }

    private String token(String source, String more) throws Exception {
        var credentials =
                Files.writeString(
                        folder.resolve("credentials.json"),
                        """
                        {"type": "external_account", "audience": "//iam.googleapis.com/pool",
                         "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                         "token_url": "%s/sts", "credential_source": {%s}%s}
                        """
                                .formatted(server.address(), source, more));
        var environment = Map.of("GOOGLE_APPLICATION_CREDENTIALS", credentials.toString());
        return new GoogleAccount(asking, environment, InstantSource.system()).token();
    }
}
