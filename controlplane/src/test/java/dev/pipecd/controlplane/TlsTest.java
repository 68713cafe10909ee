// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsTest {
    @TempDir private Path folder;
    private TestCertificate tls;

    @BeforeEach
    void makeCertificate() throws Exception {
        tls = TestCertificate.in(folder);
    }

    @Test
    void gatewayAndGrpcPortsSpeakTlsWhileAdminDoesNot() throws Exception {
        var choices =
                RunningServer.Choices.usual().with(new Ports.Tls(tls.certificate(), tls.key()));
        try (var server = RunningServer.start(choices)) {
            assertThat(calls(server.port("gateway"))).isEqualTo("piped-1");
            assertThat(calls(server.port("piped API"))).isEqualTo("piped-1");
            for (var port : List.of("web API", "API", "authorization"))
                assertThat(health(server.port(port)))
                        .as(port)
                        .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
            assertThat(server.get("admin", "/healthz").body()).isEqualTo("ok");
            assertThat(server.get("HTTP", "/auth/logout").statusCode()).isEqualTo(302);
            for (var version : HttpClient.Version.values()) browses(server, version);
        }
    }

    private void browses(RunningServer server, HttpClient.Version version) throws Exception {
        try (var browser =
                HttpClient.newBuilder().sslContext(trusting()).version(version).build()) {
            var address = "https://localhost:" + server.port("gateway");
            var call =
                    HttpRequest.newBuilder(
                                    URI.create(
                                            address + "/grpc.service.webservice.WebService/GetMe"))
                            .header("content-type", "application/grpc-web+proto")
                            .header("cookie", "token=" + server.session())
                            .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[5]))
                            .build();
            var page = HttpRequest.newBuilder(URI.create(address + "/auth/logout")).build();

            var answer = browser.send(call, HttpResponse.BodyHandlers.ofString());

            assertThat(answer.version()).isEqualTo(version);
            assertThat(answer.body()).contains("hello-pipecd").containsPattern("grpc-status: ?0");
            assertThat(browser.send(page, HttpResponse.BodyHandlers.discarding()).statusCode())
                    .isEqualTo(302);
        }
    }

    private SSLContext trusting() throws Exception {
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        var known = KeyStore.getInstance("PKCS12");
        known.load(null, null);
        known.setCertificateEntry("server", tls.keys().getCertificate("server"));
        trust.init(known);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private HealthCheckResponse.ServingStatus health(int port) throws Exception {
        return over(
                port,
                channel ->
                        HealthGrpc.newBlockingStub(channel)
                                .check(HealthCheckRequest.getDefaultInstance())
                                .getStatus());
    }

    private String calls(int port) throws Exception {
        return over(
                port,
                channel ->
                        PipedServiceGrpc.newBlockingStub(
                                        RunningServer.withHeaders(
                                                channel,
                                                "authorization",
                                                RunningServer.token("piped-1")))
                                .listUnhandledCommands(
                                        ListUnhandledCommandsRequest.getDefaultInstance())
                                .getCommands(0)
                                .getPipedId());
    }

    private <R> R over(int port, Function<ManagedChannel, R> call) throws Exception {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("localhost", port)
                        .sslContext(
                                GrpcSslContexts.forClient().trustManager(tls.certificate()).build())
                        .build();
        try {
            return call.apply(channel);
        } finally {
            channel.shutdownNow();
        }
    }
}
