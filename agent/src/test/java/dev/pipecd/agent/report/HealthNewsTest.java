// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.admin.HealthSource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.TellHealthRequest;
import dev.pipecd.wire.link.TellHealthResponse;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class HealthNewsTest {
    private final Listening listening = new Listening();
    private Duration now = Duration.ofHours(1);
    private List<HealthSource.Part> parts = List.of(part("plugin", "wait", true));
    private Server server;
    private ControlPlaneClient client;
    private HealthNews news;

    @BeforeEach
    void open() throws IOException {
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(listening)
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
        news = new HealthNews(client, () -> parts, () -> now);
    }

    @AfterEach
    void close() {
        client.close();
        server.shutdownNow();
    }

    @Test
    void whatDoesNotChangeIsToldOnceAMinute() {
        news.tell();
        news.tell();
        now = now.plusSeconds(59);
        news.tell();
        assertThat(listening.told).containsExactly("plugin wait true");

        now = now.plusSeconds(1);
        news.tell();

        assertThat(listening.told).hasSize(2);
    }

    @Test
    void whatChangesIsToldAtOnceButNotHowMuchWaits() {
        news.tell();
        parts = List.of(part("plugin", "wait", true), part("controlPlane", "here", false));
        news.tell();
        parts = List.of(part("plugin", "wait", false));
        news.tell();

        assertThat(listening.told).containsExactly("plugin wait true", "plugin wait false");
    }

    @Test
    void whatWasNotHeardIsToldAgain() {
        listening.answer = Status.UNAVAILABLE;
        assertThatThrownBy(news::tell).isInstanceOf(Problem.class);
        listening.answer = Status.OK;

        news.tell();

        assertThat(listening.told).hasSize(2);
    }

    @Test
    void aPublicControlPlaneIsNotToldAgainAndAgain() {
        listening.answer = Status.UNIMPLEMENTED;
        news.tell();
        now = now.plusSeconds(300);
        news.tell();
        assertThat(listening.told).hasSize(1);

        now = now.plusSeconds(300);
        news.tell();

        assertThat(listening.told).hasSize(2);
    }

    private static HealthSource.Part part(String kind, String name, boolean ok) {
        return new HealthSource.Part(kind, name, ok, "", "");
    }

    private static final class Listening extends LinkServiceGrpc.LinkServiceImplBase {
        private final List<String> told = new CopyOnWriteArrayList<>();
        private volatile Status answer = Status.OK;

        @Override
        public void tellHealth(
                TellHealthRequest request, StreamObserver<TellHealthResponse> observer) {
            for (var part : request.getPartsList())
                told.add(part.getKind() + " " + part.getName() + " " + part.getOk());
            if (!answer.isOk()) {
                observer.onError(answer.asRuntimeException());
                return;
            }
            observer.onNext(TellHealthResponse.getDefaultInstance());
            observer.onCompleted();
        }
    }
}
