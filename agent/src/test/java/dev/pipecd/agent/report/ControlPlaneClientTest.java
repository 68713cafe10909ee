// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.link.Hold;
import dev.pipecd.wire.link.LeaseRequest;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ControlPlaneClientTest {
    private final Pages pages = new Pages();
    private Server server;
    private ControlPlaneClient client;

    @BeforeEach
    void open() throws IOException {
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(pages)
                        .addService(new Silent())
                        .build()
                        .start();
        client =
                new ControlPlaneClient(
                        "127.0.0.1:" + server.getPort(),
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("ours"),
                        new PipedId("p1"),
                        "key",
                        Duration.ofMinutes(2));
    }

    @AfterEach
    void close() {
        client.close();
        server.shutdownNow();
    }

    @Test
    void allPagesOfDeploymentsAreRead() {
        assertThat(client.unfinished()).extracting(Deployment::getId).containsExactly("d1", "d2");
    }

    /// Without them nobody would take over what an agent before left.
    @Test
    void deploymentsAreReadHoweverManyAreOnAPage() {
        pages.words = "x".repeat(12 << 20);

        assertThat(client.unfinished()).extracting(Deployment::getId).containsExactly("d1", "d2");
    }

    @Test
    void aServerThatBreaksOnItsOwnCursorHasToldAll() {
        pages.second = Status.INTERNAL;

        assertThat(client.unfinished()).extracting(Deployment::getId).containsExactly("d1");
    }

    @Test
    void aServerThatGoesAwayBetweenPagesHasNotToldAll() {
        pages.second = Status.UNAVAILABLE;

        assertThatThrownBy(client::unfinished).isInstanceOf(Problem.class);
    }

    /// Who waits for it for longer than half a life may do nothing meanwhile.
    @Test
    @Timeout(60)
    void nobodyWaitsForALeaseForMostOfItsLife() {
        var office = LeaseOffice.at(client, Duration.ofSeconds(2));

        assertThatThrownBy(office::stands)
                .isInstanceOf(Problem.class)
                .hasMessageContaining("DEADLINE_EXCEEDED");
    }

    /// It never says who holds the lease.
    private static final class Silent extends LinkServiceGrpc.LinkServiceImplBase {
        @Override
        public void lease(LeaseRequest request, StreamObserver<Hold> answer) {}
    }

    /// A deployment a page; the second may fail.
    private static final class Pages extends PipedServiceGrpc.PipedServiceImplBase {
        private volatile Status second = Status.OK;
        private volatile String words = "";

        @Override
        public void listNotCompletedDeployments(
                ListNotCompletedDeploymentsRequest request,
                StreamObserver<ListNotCompletedDeploymentsResponse> answer) {
            var first = request.getCursor().isEmpty();
            if (!first && !second.isOk()) {
                answer.onError(second.asRuntimeException());
                return;
            }
            answer.onNext(
                    ListNotCompletedDeploymentsResponse.newBuilder()
                            .addDeployments(
                                    Deployment.newBuilder()
                                            .setId(first ? "d1" : "d2")
                                            .setSummary(words))
                            .setCursor(first ? "more" : "")
                            .build());
            answer.onCompleted();
        }
    }
}
