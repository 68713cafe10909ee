// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesResponse;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What listens at a plugin's port does not speak as plugins do: it is not taken for one that is
/// ready, and the agent neither hangs nor breaks.
final class GarbageSpeakingPluginTest {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final PluginDialer dialer = new PluginDialer("token", threads, Duration.ofMillis(500));

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void aWebServerIsNoPlugin() throws IOException {
        assertNotReady("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".getBytes(US_ASCII));
    }

    @Test
    void oneThatSendsNonsenseIsNoPlugin() throws IOException {
        var nonsense = new byte[1 << 20];
        java.util.Arrays.fill(nonsense, (byte) 0xfe);

        assertNotReady(nonsense);
    }

    @Test
    void oneThatTakesTheCallAndIsSilentIsNoPlugin() throws IOException {
        assertNotReady(new byte[0]);
    }

    private void assertNotReady(byte[] answer) throws IOException {
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerAll(server, answer));

            assertThat(dialer.dialOther(server.getLocalPort())).isEmpty();
        }
    }

    private static void answerAll(ServerSocket server, byte[] answer) {
        try {
            while (true) {
                var socket = server.accept();
                socket.getOutputStream().write(answer);
                socket.getOutputStream().flush();
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    @Test
    void oneThatTellsFiveMegabytesOfStagesIsNoPlugin() throws IOException {
        assertThat(stagesOf(List.of("x".repeat(5 << 20)))).isEmpty();
    }

    @Test
    void oneThatTellsFarTooManyStagesIsHeardToTheThousandth() throws IOException {
        var many = IntStream.range(0, 5000).mapToObj(i -> "STAGE_" + i).toList();

        assertThat(stagesOf(many)).hasSize(1000);
    }

    @Test
    void stagesWithoutANameAreNotOffered() throws IOException {
        assertThat(stagesOf(List.of("", " ", "DEPLOY"))).containsExactly("DEPLOY");
    }

    private List<String> stagesOf(List<String> told) throws IOException {
        var server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(new Telling(told))
                        .build()
                        .start();
        var patient = new PluginDialer("token", threads, Duration.ofMinutes(1));
        try {
            var connection = patient.dialOther(server.getPort());
            connection.ifPresent(c -> c.channel().shutdownNow());
            return connection.map(PluginDialer.Connection::stages).orElse(Collections.emptyList());
        } finally {
            server.shutdownNow();
        }
    }

    private static final class Telling extends DeploymentServiceGrpc.DeploymentServiceImplBase {
        private final List<String> stages;

        Telling(List<String> stages) {
            this.stages = stages;
        }

        @Override
        public void fetchDefinedStages(
                FetchDefinedStagesRequest request,
                StreamObserver<FetchDefinedStagesResponse> answer) {
            answer.onNext(FetchDefinedStagesResponse.newBuilder().addAllStages(stages).build());
            answer.onCompleted();
        }
    }
}
