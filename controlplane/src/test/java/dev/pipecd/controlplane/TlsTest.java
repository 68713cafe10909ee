// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
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
            assertThat(server.get("admin", "/healthz").body()).isEqualTo("ok");
        }
    }

    private String calls(int port) throws Exception {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("localhost", port)
                        .sslContext(
                                GrpcSslContexts.forClient().trustManager(tls.certificate()).build())
                        .build();
        try {
            return PipedServiceGrpc.newBlockingStub(
                            RunningServer.withHeaders(
                                    channel, "authorization", RunningServer.token("piped-1")))
                    .listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance())
                    .getCommands(0)
                    .getPipedId();
        } finally {
            channel.shutdownNow();
        }
    }
}
