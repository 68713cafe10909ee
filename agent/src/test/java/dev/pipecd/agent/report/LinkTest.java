// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.link.ApplicationsChanged;
import dev.pipecd.wire.link.EventsChanged;
import dev.pipecd.wire.link.KeepAlive;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.LiveStateWanted;
import dev.pipecd.wire.link.RepositoryChanged;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.Command;
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

/// What the control plane pushes reaches who waits for it.
final class LinkTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Signal UP =
            Signal.newBuilder().setKeepAlive(KeepAlive.getDefaultInstance()).build();

    private final Pushing pushing = new Pushing();
    private final RecordingListener heard = new RecordingListener();
    private Server server;
    private ControlPlaneClient client;
    private Link link;

    @BeforeEach
    void open() throws IOException {
        server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(pushing)
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
        link = new Link(client, heard, () -> Duration.ofNanos(System.nanoTime()));
        link.start();
        await().atMost(PATIENCE).until(() -> pushing.open.size() == 1);
    }

    @AfterEach
    void close() {
        link.close();
        client.close();
        server.shutdownNow();
    }

    /// Who moves from the public control plane to ours exchanges one for the other while agents
    /// run.
    @Test
    void oneThatDoesNotOfferItIsSoonAskedAgain() {
        var soon = Duration.ofSeconds(30);

        assertThat(Link.PAUSE_WHERE_NOT_OFFERED).isLessThan(soon);
        assertThat(Lease.PAUSE_WHERE_NOT_OFFERED).isLessThan(soon);
    }

    @Test
    void eachKindOfNewsIsToldAsWhatItIs() {
        push(UP);
        push(Signal.newBuilder().setCommand(Command.newBuilder().setId("c1")).build());
        push(
                Signal.newBuilder()
                        .setRepositoryChanged(
                                RepositoryChanged.newBuilder().setRepositoryId("demo"))
                        .build());
        push(
                Signal.newBuilder()
                        .setApplicationsChanged(ApplicationsChanged.getDefaultInstance())
                        .build());
        push(
                Signal.newBuilder()
                        .setLiveStateWanted(LiveStateWanted.newBuilder().setApplicationId("a1"))
                        .build());
        push(Signal.newBuilder().setEventsChanged(EventsChanged.getDefaultInstance()).build());

        await().atMost(PATIENCE).until(() -> heard.told.size() == 6);
        assertThat(heard.told)
                .containsExactly(
                        "up",
                        "command c1",
                        "repository demo",
                        "applications",
                        "live state of a1",
                        "events");
    }

    @Test
    void whatANewerControlPlaneSaysBesideIsPassedOver() {
        push(Signal.getDefaultInstance());
        push(UP);

        await().atMost(PATIENCE).until(() -> !heard.told.isEmpty());
        assertThat(heard.told).containsExactly("up");
    }

    @Test
    void aSignalThatIsNoUseCostsNeitherTheLinkNorThoseBehindIt() {
        push(
                Signal.newBuilder()
                        .setRepositoryChanged(RepositoryChanged.getDefaultInstance())
                        .build());
        push(Signal.newBuilder().setLiveStateWanted(LiveStateWanted.getDefaultInstance()).build());
        push(Signal.newBuilder().setCommand(Command.newBuilder().setId("odd")).build());
        push(UP);

        await().atMost(PATIENCE).until(() -> !heard.told.isEmpty());
        assertThat(heard.told).containsExactly("up");
        assertThat(pushing.open).hasSize(1);
    }

    @Test
    void aLinkThatBreaksIsToldAndHeldAgain() {
        push(UP);
        pushing.open.getFirst().onError(Status.UNAVAILABLE.asRuntimeException());
        await().atMost(PATIENCE).until(() -> pushing.open.size() == 2);
        push(UP);

        await().atMost(PATIENCE).until(() -> heard.told.size() == 3);
        assertThat(heard.told).containsExactly("up", "down", "up");
    }

    private void push(Signal signal) {
        pushing.open.getLast().onNext(signal);
    }

    private static final class Pushing extends LinkServiceGrpc.LinkServiceImplBase {
        private final List<StreamObserver<Signal>> open = new CopyOnWriteArrayList<>();

        @Override
        public void watch(WatchRequest request, StreamObserver<Signal> signals) {
            open.add(signals);
        }
    }

    private static final class RecordingListener implements Link.Listener {
        private final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public void up() {
            told.add("up");
        }

        @Override
        public void down() {
            told.add("down");
        }

        @Override
        public void command(Command command) {
            if (command.getId().equals("odd")) throw new AssertionError("planted");
            told.add("command " + command.getId());
        }

        @Override
        public void repositoryChanged(RepositoryId repository) {
            told.add("repository " + repository);
        }

        @Override
        public void applicationsChanged() {
            told.add("applications");
        }

        @Override
        public void liveStateWanted(ApplicationId application) {
            told.add("live state of " + application);
        }

        @Override
        public void eventsChanged() {
            told.add("events");
        }
    }
}
