// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.wire.health.Part;
import dev.pipecd.wire.link.Hold;
import dev.pipecd.wire.link.LeaseRequest;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.TellHealthRequest;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.Command;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LinkDoorTest {
    private RunningServer server;

    @BeforeEach
    void start() {
        server = RunningServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theFirstSignalSaysThatTheStreamIsUp() throws Exception {
        assertThat(watch("piped-1").next().getKindCase()).isEqualTo(Signal.KindCase.KEEP_ALIVE);
    }

    @Test
    void whatWasOrderedBeforeArrivesAtOnceAndOnce() throws Exception {
        server.orders.add(order("c1"));
        var agent = watch("piped-1");

        assertThat(agent.nextNews().getCommand().getId()).isEqualTo("c1");
        ordered("c2");
        assertThat(agent.nextNews().getCommand().getId()).isEqualTo("c2");
    }

    @Test
    void anOrderArrivesAsItIsGiven() throws Exception {
        var agent = watch("piped-1");
        assertThat(agent.next().hasKeepAlive()).isTrue();

        ordered("c1");

        assertThat(agent.nextNews().getCommand().getId()).isEqualTo("c1");
    }

    @Test
    void aPushIsToldToTheAgentItConcerns() throws Exception {
        var one = watch("piped-1");
        var two = watch("piped-2");
        assertThat(one.next().hasKeepAlive()).isTrue();
        assertThat(two.next().hasKeepAlive()).isTrue();

        pass(Change.Kind.REPOSITORY, "r2", "piped-2", "webhook");
        pass(Change.Kind.REPOSITORY, "r1", "piped-1", "webhook");

        assertThat(one.nextNews().getRepositoryChanged().getRepositoryId()).isEqualTo("r1");
        assertThat(two.nextNews().getRepositoryChanged().getRepositoryId()).isEqualTo("r2");
    }

    @Test
    void thatSomebodyLooksAtAnApplicationIsToldToItsAgent() throws Exception {
        var one = watch("piped-1");
        assertThat(one.next().hasKeepAlive()).isTrue();

        pass(Change.Kind.LIVE_STATE_WANTED, "a2", "piped-2", "ann");
        pass(Change.Kind.LIVE_STATE_WANTED, "a1", "piped-1", "ann");

        assertThat(one.nextNews().getLiveStateWanted().getApplicationId()).isEqualTo("a1");
    }

    @Test
    void anApplicationChangedByAPersonIsNewsButNotWhatTheAgentReportedItself() throws Exception {
        var agent = watch("piped-1");
        assertThat(agent.next().hasKeepAlive()).isTrue();

        pass(Change.Kind.APPLICATION, "a1", "piped-1", "piped-1");
        pass(Change.Kind.REPOSITORY, "r1", "piped-1", "webhook");
        assertThat(agent.nextNews().hasRepositoryChanged()).isTrue();
        pass(Change.Kind.APPLICATION, "a1", "piped-1", "ann");
        assertThat(agent.nextNews().hasApplicationsChanged()).isTrue();
    }

    @Test
    void aNewEventIsToldToEveryAgentOfTheProjectButNotWhatTheAgentReportedItself()
            throws Exception {
        var one = watch("piped-1");
        var two = watch("piped-2");
        assertThat(one.next().hasKeepAlive()).isTrue();
        assertThat(two.next().hasKeepAlive()).isTrue();

        pass(Change.Kind.EVENT, "e1", "", "piped-1");
        pass(Change.Kind.REPOSITORY, "r1", "piped-1", "webhook");
        assertThat(two.nextNews().hasEventsChanged()).isTrue();
        assertThat(one.nextNews().hasRepositoryChanged()).isTrue();
        pass(Change.Kind.EVENT, "e2", "", "ci");

        assertThat(one.nextNews().hasEventsChanged()).isTrue();
    }

    @Test
    void aQuietStreamIsKeptAlive() throws Exception {
        var agent = watch("piped-1");

        assertThat(agent.next().hasKeepAlive()).isTrue();
        assertThat(agent.next().hasKeepAlive()).isTrue();
    }

    @Test
    void anAgentThatIsDisabledLosesTheStream() throws Exception {
        var agent = watch("piped-1");
        assertThat(agent.next().hasKeepAlive()).isTrue();

        server.keys.disabled.add("piped-1");
        pass(Change.Kind.PIPED, "piped-1", "piped-1", "ann");

        assertThat(agent.end().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void aWrongKeyGetsNoStream() throws Exception {
        server.keys.disabled.add("piped-1");

        assertThat(watch("piped-1").end().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void theServerEndsTheStreamWhenItStops() throws Exception {
        var agent = watch("piped-1");
        assertThat(agent.next().hasKeepAlive()).isTrue();

        server.stop();

        assertThat(agent.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    private Agent watch(String piped) {
        var agent = new Agent();
        LinkServiceGrpc.newStub(
                        server.channel("gateway", "authorization", RunningServer.token(piped)))
                .watch(WatchRequest.getDefaultInstance(), agent);
        return agent;
    }

    @Test
    void ofTwoAgentsWithOneIdTheOneThatSawWhatStandsGetsTheLease() {
        var nobody = lease("piped-1", Hold.getDefaultInstance(), Optional.empty());
        var first = lease("piped-1", nobody, Optional.of("first"));
        var second = lease("piped-1", nobody, Optional.of("second"));

        assertThat(List.of(nobody, first, second))
                .containsExactly(hold("", 0), hold("first", 1), hold("first", 1));
        assertThat(lease("piped-2", nobody, Optional.of("second"))).isEqualTo(hold("second", 1));
    }

    @Test
    void aLeaseThatIsGivenBackIsNobodys() {
        var held = lease("piped-1", Hold.getDefaultInstance(), Optional.of("first"));

        assertThat(lease("piped-1", held, Optional.of(""))).isEqualTo(hold("", 2));
    }

    @Test
    void aHolderWithTooLongANameIsRefused() {
        assertThatThrownBy(() ->
                        lease("piped-1", Hold.getDefaultInstance(), Optional.of("x".repeat(201))))
                .hasMessageContaining("next: 201 characters (expected: at most 200)");
    }

    @Test
    void howAnAgentDoesIsTaken() {
        LinkServiceGrpc.newBlockingStub(
                        server.channel(
                                "piped API", "authorization", RunningServer.token("piped-1")))
                .tellHealth(
                        TellHealthRequest.newBuilder()
                                .addParts(
                                        Part.newBuilder()
                                                .setKind("plugin")
                                                .setName("wait")
                                                .setDetail("starting")
                                                .setAdvice("Wait."))
                                .build());

        assertThat(server.health)
                .containsExactly(
                        new PipedHealth.Part("plugin", "wait", false, "starting", "Wait."));
    }

    private Hold lease(String piped, Hold seen, Optional<String> next) {
        var request = LeaseRequest.newBuilder().setSeen(seen);
        next.ifPresent(request::setNext);
        return LinkServiceGrpc.newBlockingStub(
                        server.channel("piped API", "authorization", RunningServer.token(piped)))
                .lease(request.build());
    }

    private static Hold hold(String holder, long term) {
        return Hold.newBuilder().setHolder(holder).setTerm(term).build();
    }

    private void ordered(String id) {
        server.orders.add(order(id));
        pass(Change.Kind.COMMAND, id, "piped-1", "ann");
    }

    private static Command order(String id) {
        return Command.newBuilder().setId(id).setPipedId("piped-1").build();
    }

    private void pass(Change.Kind kind, String id, String piped, String actor) {
        server.changes.passOn(server.trail.add("quickstart", kind, id, piped, actor));
    }

    private static final class Agent implements StreamObserver<Signal> {
        private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

        @Override
        public void onNext(Signal signal) {
            heard.add(signal);
        }

        @Override
        public void onError(Throwable error) {
            heard.add(error);
        }

        @Override
        public void onCompleted() {
            heard.add(new StatusRuntimeException(Status.OK));
        }

        Signal next() throws InterruptedException {
            var signal = heard.poll(1, TimeUnit.MINUTES);
            assertThat(signal).isInstanceOf(Signal.class);
            return (Signal) signal;
        }

        Signal nextNews() throws InterruptedException {
            var signal = next();
            while (signal.hasKeepAlive()) signal = next();
            return signal;
        }

        Status end() throws InterruptedException {
            var signal = heard.poll(1, TimeUnit.MINUTES);
            while (signal instanceof Signal) signal = heard.poll(1, TimeUnit.MINUTES);
            assertThat(signal).isInstanceOf(Throwable.class);
            return Status.fromThrowable((Throwable) signal);
        }
    }
}
