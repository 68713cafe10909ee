// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.agent.proxy.SmallProxy;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A control plane that only the proxy can reach.
class ControlPlaneProxyTest {
    private Server server;
    private SmallProxy proxy;

    @BeforeEach
    void open() throws Exception {
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(new Answering())
                        .build()
                        .start();
        proxy = new SmallProxy("ann:pass", server.getPort());
    }

    @AfterEach
    void close() throws Exception {
        proxy.close();
        server.shutdownNow();
    }

    @Test
    void theControlPlaneIsReachedThroughTheProxyOfTheEnvironment() {
        try (var client =
                client("pipecd.example:443", Map.of("HTTPS_PROXY", proxy.url("ann:pass")))) {
            assertThat(client.commands()).isEmpty();
        }
        assertThat(proxy.let).containsExactly("CONNECT pipecd.example:443 HTTP/1.1");
    }

    @Test
    void aProxyThatRefusesTheLoginIsTold() {
        try (var client =
                client("pipecd.example:443", Map.of("HTTPS_PROXY", proxy.url("ann:guess")))) {
            assertThatThrownBy(client::commands)
                    .isInstanceOf(Problem.class)
                    .hasMessageNotContaining("guess");
            assertThat(client.trouble()).contains("407");
        }
    }

    @Test
    void onThisMachineItIsReachedWithoutIt() {
        try (var client =
                client(
                        "localhost:" + server.getPort(),
                        Map.of("HTTPS_PROXY", proxy.url("ann:guess")))) {
            assertThat(client.commands()).isEmpty();
        }
    }

    @Test
    void aProxyOfAnotherKindIsToldAtTheStart() {
        assertThatThrownBy(() ->
                        client("pipecd.example:443", Map.of("HTTPS_PROXY", "socks5://proxy:1080")))
                .isInstanceOf(Problem.class)
                .hasMessage("HTTPS_PROXY: a proxy of the kind socks5 (expected: http://HOST:PORT)");
        client(
                        "pipecd.example:443",
                        Map.of("HTTPS_PROXY", "socks5://proxy:1080", "NO_PROXY", "pipecd.example"))
                .close();
    }

    private static ControlPlaneClient client(String address, Map<String, String> environment) {
        return new ControlPlaneClient(
                address,
                new ControlPlaneClient.Security.Plaintext(),
                new ProxyByEnvironment(environment),
                new ProjectId("ours"),
                new PipedId("p1"),
                "key");
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
