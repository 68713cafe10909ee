// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent as a whole, before a control plane that orders just one thing.
final class AgentTest {
    private static final String PIPED =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyData: a2V5
              apiAddress: 127.0.0.1:%d
              notifications:
                routes: [{name: all, receiver: hook}]
                receivers: [{name: hook, webhook: {url: "http://127.0.0.1:%d"}}]
            """;

    @TempDir Path directory;

    private final List<Integer> notified = new CopyOnWriteArrayList<>();
    private HttpServer hook;
    private Server controlPlane;

    @BeforeEach
    void serve() throws IOException {
        hook = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        hook.createContext(
                "/",
                exchange -> {
                    var body = new ObjectMapper().readTree(exchange.getRequestBody());
                    notified.add(body.get("Type").asInt());
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        hook.start();
        controlPlane =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(new OrderingRestart())
                        .build()
                        .start();
    }

    @AfterEach
    void end() {
        controlPlane.shutdownNow();
        hook.stop(0);
    }

    @Test
    void itTellsOfItsStartAndItsStopAndLeavesWhenARestartIsOrdered() throws Exception {
        var config = PIPED.formatted(controlPlane.getPort(), hook.getAddress().getPort());
        try (var agent =
                new Agent(
                        new AgentSettings(
                                Documents.piped(
                                        "piped.yaml", config.getBytes(StandardCharsets.UTF_8)),
                                new ControlPlaneClient.Security.Plaintext(),
                                directory,
                                0,
                                true,
                                new AgentSettings.ForPlugins(
                                        List.of("sleep", "600"),
                                        0,
                                        directory.resolve("tools"),
                                        false,
                                        Duration.ofSeconds(5)),
                                ""))) {
            assertThat(agent.awaitLoss()).isFalse();
        }

        assertThat(notified).startsWith(300).endsWith(301);
    }

    /// Knows neither leases nor anything else, as a public one that is just being started.
    private static final class OrderingRestart extends PipedServiceGrpc.PipedServiceImplBase {
        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            answer.onNext(
                    ListUnhandledCommandsResponse.newBuilder()
                            .addCommands(
                                    Command.newBuilder()
                                            .setId("c1")
                                            .setType(Command.Type.RESTART_PIPED)
                                            .setCommander("ann")
                                            .setCreatedAt(Integer.MAX_VALUE))
                            .build());
            answer.onCompleted();
        }
    }
}
