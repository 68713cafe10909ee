// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.source.GitWebServer;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whom the agent believes to be its control plane.
final class ControlPlaneTlsTest {
    @TempDir static Path directory;
    private static Path certificate;
    private static Server server;

    @BeforeAll
    static void serve() throws Exception {
        var store = directory.resolve("store.p12");
        certificate = GitWebServer.certificate(store);
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .sslContext(
                                GrpcSslContexts.configure(
                                                SslContextBuilder.forServer(
                                                        GitWebServer.keyManagers(store)))
                                        .build())
                        .addService(new Answering())
                        .build()
                        .start();
    }

    @AfterAll
    static void end() {
        server.shutdownNow();
    }

    @Test
    void oneWithTheCertificateThatIsGivenIsBelieved() {
        try (var client = client(new ControlPlaneClient.Security.Certificate(certificate))) {
            assertThat(client.commands()).isEmpty();
        }
    }

    @Test
    void oneThatTheSystemDoesNotKnowIsNot() {
        try (var client = client(new ControlPlaneClient.Security.SystemRoots())) {
            assertThatThrownBy(client::commands).isInstanceOf(Problem.class);
        }
    }

    @Test
    void aFileThatIsNoCertificateOrNotThereIsTold() throws Exception {
        var text = Files.writeString(directory.resolve("text"), "hello");
        var nowhere = directory.resolve("nowhere");

        for (var file : new Path[] {text, nowhere})
            assertThatThrownBy(() -> client(new ControlPlaneClient.Security.Certificate(file)))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "--cert-file: %s (expected: a readable PEM certificate)"
                                    .formatted(file));
    }

    private static ControlPlaneClient client(ControlPlaneClient.Security security) {
        return new ControlPlaneClient(
                "localhost:" + server.getPort(),
                security,
                new ProjectId("ours"),
                new PipedId("p1"),
                "key",
                Duration.ofMinutes(2));
    }

    private static final class Answering extends PipedServiceGrpc.PipedServiceImplBase {
        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            answer.onNext(ListUnhandledCommandsResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }
}
