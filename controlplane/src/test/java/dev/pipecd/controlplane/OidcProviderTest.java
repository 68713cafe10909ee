// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.session.GetPermissionsRequest;
import dev.pipecd.wire.session.SessionServiceGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A login by way of a provider that others wrote.
final class OidcProviderTest {
    @TempDir private Path folder;

    @Test
    void aPersonLogsInThroughThePagesOfARealProvider() throws Exception {
        try (var provider = OidcProviderProcess.start();
                var server = server(provider.issuer());
                var http =
                        HttpClient.newBuilder()
                                .followRedirects(HttpClient.Redirect.NEVER)
                                .build()) {
            var here = "http://127.0.0.1:" + server.port("gateway").orElseThrow();
            var begun =
                    http.send(
                            HttpRequest.newBuilder(URI.create(here + "/auth/login"))
                                    .POST(HttpRequest.BodyPublishers.ofString("project=demo"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());

            var back =
                    provider.logIn(
                            URI.create(begun.headers().firstValue("location").orElseThrow()),
                            "ann");
            assertThat(back.toString()).startsWith("https://pipecd.example/auth/callback?");
            var state = begun.headers().firstValue("set-cookie").orElseThrow();
            var ended =
                    http.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    here + "/auth/callback?" + back.getRawQuery()))
                                    .header("cookie", state.replaceFirst(";.*", ""))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());

            assertThat(ended.statusCode()).as("%s", ended.headers()).isEqualTo(302);
            var token = ended.headers().firstValue("set-cookie").orElseThrow();
            var channel =
                    NettyChannelBuilder.forAddress("127.0.0.1", URI.create(here).getPort())
                            .usePlaintext()
                            .build();
            var told =
                    SessionServiceGrpc.newBlockingStub(
                                    RunningServer.withHeaders(
                                            channel, "cookie", token.replaceFirst(";.*", "")))
                            .getPermissions(GetPermissionsRequest.getDefaultInstance());
            channel.shutdownNow();
            assertThat(told.getSubject()).isEqualTo("ann");
            assertThat(told.getRolesList()).containsExactly("Editor");
        }
    }

    private ControlPlane server(String issuer) throws Exception {
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  address: https://pipecd.example
                  stateKey: signs the round trip
                  projects:
                    - {id: demo, sharedSSOName: issuer}
                  sharedSSOConfigs:
                    - name: issuer
                      provider: OIDC
                      oidc:
                        clientId: pipecd
                        clientSecret: canary-secret-of-the-client
                        issuer: %s
                        scopes: [openid, profile, groups]
                """
                        .formatted(issuer));
        return ControlPlane.start(ControlPlaneTest.options(folder));
    }
}
