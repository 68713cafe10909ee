// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.change.Pending;
import dev.pipecd.controlplane.change.Streams;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.ops.LeaseStore;
import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.controlplane.piped.PipedLeases;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.link.ApplicationsChanged;
import dev.pipecd.wire.link.EventsChanged;
import dev.pipecd.wire.link.Hold;
import dev.pipecd.wire.link.KeepAlive;
import dev.pipecd.wire.link.LeaseRequest;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.LiveStateWanted;
import dev.pipecd.wire.link.ReportRequest;
import dev.pipecd.wire.link.ReportResponse;
import dev.pipecd.wire.link.RepositoryChanged;
import dev.pipecd.wire.link.Result;
import dev.pipecd.wire.link.Sent;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.TellHealthRequest;
import dev.pipecd.wire.link.TellHealthResponse;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.rules.Verdict;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The stream an agent holds: tells it at once what it would otherwise learn by its next poll; and
/// the lease that says which of several agents with one id acts.
public final class LinkDoor extends LinkServiceGrpc.LinkServiceImplBase {
    private static final Logger log = LoggerFactory.getLogger(LinkDoor.class);
    private static final int MOST_PENDING = 1_000;
    private static final Duration PACE = Duration.ofMillis(100);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);
    private static final Duration SLOWEST_READER = Duration.ofMinutes(1);

    private final Changes changes;
    private final Behind behind;
    private final Keyring keys;
    private final Streams streams;
    private final Duration keepAlive;
    private final Reports reports;

    /// @param reports takes what was sent together as if each had come by itself
    public LinkDoor(
            Changes changes,
            Behind behind,
            Keyring keys,
            Streams streams,
            Duration keepAlive,
            Reports reports) {
        this.changes = changes;
        this.behind = behind;
        this.keys = keys;
        this.streams = streams;
        this.keepAlive = keepAlive;
        this.reports = reports;
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<Signal> answer) {
        var agent = Caller.currentAgent();
        var token = Credentials.CURRENT_PIPED_TOKEN.get();
        if (token == null) throw Credentials.unauthenticated();
        var link = new Link(agent, token, (ServerCallStreamObserver<Signal>) answer);
        // Without a handler of its own a cancelled call would throw into whoever sends next.
        link.answer.setOnCancelHandler(() -> link.pending.add(new Look()));
        var holder = new Streams.Holder(Streams.Kind.LINK, agent.project(), agent.piped().value());
        if (!streams.start(holder, link::run))
            throw new Problem(
                    Problem.Code.STORE_UNAVAILABLE,
                    "streams: no more (expected: fewer open, and a server that is not stopping)",
                    "The agent goes on by polling and tries again.");
    }

    @Override
    public void lease(LeaseRequest request, StreamObserver<Hold> answer) {
        var seen = request.getSeen();
        var stands =
                behind.leases()
                        .ask(
                                Caller.currentAgent(),
                                new LeaseStore.Hold(seen.getHolder(), seen.getTerm()),
                                request.hasNext()
                                        ? Optional.of(request.getNext())
                                        : Optional.empty());
        Reply.with(
                answer,
                Hold.newBuilder().setHolder(stands.holder()).setTerm(stands.term()).build());
    }

    @Override
    public void tellHealth(TellHealthRequest request, StreamObserver<TellHealthResponse> answer) {
        var parts =
                request.getPartsList().stream()
                        .map(p ->
                                new PipedHealth.Part(
                                        p.getKind(),
                                        p.getName(),
                                        p.getOk(),
                                        p.getDetail(),
                                        p.getAdvice()))
                        .toList();
        behind.health().told(Caller.currentAgent(), parts);
        Reply.with(answer, TellHealthResponse.getDefaultInstance());
    }

    @Override
    public void report(ReportRequest request, StreamObserver<ReportResponse> answer) {
        var _ = Caller.currentAgent();
        Reply.with(
                answer,
                ReportResponse.newBuilder()
                        .addAllResults(taken(reports, request.getReportsList()))
                        .build());
    }

    /// One after another, until one asks to come again: what is behind it must not overtake it.
    public static List<Result> taken(Reports reports, List<Sent> sent) {
        var results = new ArrayList<Result>();
        for (var report : sent) {
            var status = reports.take(report.getCall(), report.getRequest());
            results.add(
                    Result.newBuilder()
                            .setCode(status.getCode().value())
                            .setMessage(String.valueOf(status.getDescription()))
                            .build());
            if (Verdict.of(status.getCode()) == Verdict.COME_AGAIN) break;
        }
        return results;
    }

    /// The features it opens on.
    public record Behind(Orders orders, PipedLeases leases, Health health) {}

    /// Takes how an agent does.
    public interface Health {
        void told(Caller.Agent agent, List<PipedHealth.Part> parts);
    }

    /// Takes a request of PipedService as if it had come by itself, and says how that ended.
    public interface Reports {
        Status take(String call, ByteString request);
    }

    /// What people ordered of an agent and it has not done yet.
    public interface Orders {
        List<Command> unhandled(Caller.Agent agent);
    }

    private final class Link {
        private final Caller.Agent agent;
        private final Credentials.PipedToken token;
        private final ServerCallStreamObserver<Signal> answer;
        private final Pending<Hint> pending = new Pending<>(MOST_PENDING, PACE);
        private final Set<String> sent = new HashSet<>();
        private long spokeAt = System.nanoTime();

        Link(
                Caller.Agent agent,
                Credentials.PipedToken token,
                ServerCallStreamObserver<Signal> answer) {
            this.agent = agent;
            this.token = token;
            this.answer = answer;
        }

        void run() {
            log.info("agent {} holds a link", agent.piped());
            try (var _ = changes.listen(this::hear)) {
                send(alive());
                // Listening began before: an order given meanwhile is among these or heard of.
                pending.add(new Order());
                while (!answer.isCancelled()) {
                    keys.agent(token); // a key that was taken back ends the stream
                    tell(pending.take(LOOK_AGAIN));
                }
            } catch (InterruptedException e) {
                end(
                        Status.UNAVAILABLE
                                .withDescription("the server is stopping")
                                .asRuntimeException());
            } catch (RuntimeException e) {
                end(e);
            } finally {
                log.info("the link of agent {} ended", agent.piped());
            }
        }

        private void hear(Change change) {
            if (!change.project().equals(agent.project()) || !concerns(change)) return;
            switch (change.kind()) {
                case COMMAND -> pending.add(new Order());
                case REPOSITORY -> pending.add(new Repository(change.id()));
                case APPLICATION -> pending.add(new Applications());
                case EVENT -> pending.add(new Events());
                case LIVE_STATE_WANTED -> pending.add(new LiveState(change.id()));
                case PIPED -> pending.add(new Look());
                case DEPLOYMENT,
                        STAGE_LOG,
                        API_KEY,
                        DEPLOYMENT_TRACE,
                        DEPLOYMENT_CHAIN,
                        LIVE_STATE -> {}
            }
        }

        /// Any agent of the project may have a place for an event. What the agent itself reports is
        /// no news to it.
        private boolean concerns(Change change) {
            return switch (change.kind()) {
                case EVENT -> !change.actor().equals(agent.name());
                case APPLICATION -> isOfAgent(change) && !change.actor().equals(agent.name());
                default -> isOfAgent(change);
            };
        }

        private boolean isOfAgent(Change change) {
            return change.piped().equals(agent.piped().value());
        }

        private void tell(Pending.Batch<Hint> batch) throws InterruptedException {
            for (var hint : batch.hints()) {
                switch (hint) {
                    case Order() -> sendOrders();
                    case Repository(var id) -> send(repositoryChanged(id));
                    case Applications() -> send(applicationsChanged());
                    case LiveState(var id) -> send(liveStateWanted(id));
                    case Events() -> send(eventsChanged());
                    case Look() -> {}
                }
            }
            if (System.nanoTime() - spokeAt >= keepAlive.toNanos()) send(alive());
        }

        private void sendOrders() throws InterruptedException {
            var unhandled = behind.orders().unhandled(agent);
            sent.retainAll(unhandled.stream().map(Command::getId).collect(Collectors.toSet()));
            for (var command : unhandled)
                if (sent.add(command.getId()))
                    send(Signal.newBuilder().setCommand(command).build());
        }

        /// Waits for a slow agent instead of heaping up what it does not take.
        private void send(Signal signal) throws InterruptedException {
            var began = System.nanoTime();
            while (!answer.isReady() && !answer.isCancelled()) {
                if (System.nanoTime() - began > SLOWEST_READER.toNanos())
                    throw new Problem(
                            Problem.Code.CONTROL_PLANE_UNREACHABLE,
                            "link: not read for a minute (expected: an agent that reads it)",
                            "The agent connects again.");
                new Pending<Hint>(1, PACE).take(Duration.ofMillis(20));
            }
            if (answer.isCancelled()) return;
            answer.onNext(signal);
            spokeAt = System.nanoTime();
        }

        private void end(RuntimeException why) {
            if (!answer.isCancelled()) answer.onError(why);
        }
    }

    private static Signal alive() {
        return Signal.newBuilder().setKeepAlive(KeepAlive.getDefaultInstance()).build();
    }

    private static Signal repositoryChanged(String id) {
        return Signal.newBuilder()
                .setRepositoryChanged(RepositoryChanged.newBuilder().setRepositoryId(id))
                .build();
    }

    private static Signal applicationsChanged() {
        return Signal.newBuilder()
                .setApplicationsChanged(ApplicationsChanged.getDefaultInstance())
                .build();
    }

    private static Signal liveStateWanted(String id) {
        return Signal.newBuilder()
                .setLiveStateWanted(LiveStateWanted.newBuilder().setApplicationId(id))
                .build();
    }

    private static Signal eventsChanged() {
        return Signal.newBuilder().setEventsChanged(EventsChanged.getDefaultInstance()).build();
    }

    private sealed interface Hint {}

    private record Order() implements Hint {}

    private record Repository(String id) implements Hint {}

    private record Applications() implements Hint {}

    private record LiveState(String id) implements Hint {}

    private record Events() implements Hint {}

    /// Nothing to send: look whether the stream may go on.
    private record Look() implements Hint {}
}
