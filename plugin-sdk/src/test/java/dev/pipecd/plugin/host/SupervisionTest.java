// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.wire.plugin.supervision.ReadyRequest;
import dev.pipecd.wire.plugin.supervision.ReadyResponse;
import dev.pipecd.wire.plugin.supervision.SupervisionServiceGrpc;
import dev.pipecd.wire.rules.RequestRules;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A plugin that does not know whose agent started it.
class SupervisionTest {
    @TempDir Path home;

    @Test
    void anAgentThatDoesNotAnswerYetIsAskedAgain() throws Exception {
        assertThat(heardBy(new Agent(Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED))).isTrue();
    }

    @Test
    void anAgentThatDoesNotKnowTheCallIsThePublicOne() throws Exception {
        assertThat(heardBy(new Agent(Status.UNIMPLEMENTED))).isFalse();
    }

    private boolean heardBy(Agent service) throws Exception {
        var server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(service)
                        .build()
                        .start();
        var address = "localhost:" + server.getPort();
        var entry = new HostConfig.Entry("own", "own", 0, "{}", List.of());
        var config = new HostConfig(address, "", home, List.of(entry));
        try (var agent = new AgentClient(address, "")) {
            var plugin =
                    PluginServer.open(
                            config,
                            entry,
                            StagePlugin.named("own"),
                            new RequestRules(),
                            agent,
                            InstantSource.system());
            try {
                return new Supervision(agent, address, List.of(plugin)).readyIfHeard("1.0.0");
            } finally {
                plugin.close(Duration.ofSeconds(5));
            }
        } finally {
            server.shutdownNow();
        }
    }

    /// Refuses in these ways, one after the other, and then answers.
    private static final class Agent extends SupervisionServiceGrpc.SupervisionServiceImplBase {
        private final Queue<Status> refusals;

        Agent(Status... refusals) {
            this.refusals = new ArrayDeque<>(List.of(refusals));
        }

        @Override
        public synchronized void ready(ReadyRequest request, StreamObserver<ReadyResponse> answer) {
            var refusal = refusals.poll();
            if (refusal != null) {
                answer.onError(refusal.asRuntimeException());
                return;
            }
            answer.onNext(ReadyResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }
}
