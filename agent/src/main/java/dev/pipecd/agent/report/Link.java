// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.Command;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Holds the stream on which the control plane tells at once what polling would find later. While
/// it is down, or where it is not offered, polling alone does the work.
public final class Link implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Link.class);
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(40);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /// Short, so that a control plane that is exchanged for one that offers it is soon noticed,
    /// also behind a proxy whose connection stays.
    static final Duration PAUSE_WHERE_NOT_OFFERED = Duration.ofSeconds(20);

    private final ControlPlaneClient client;
    private final Listener listener;
    private final Supplier<Duration> uptime;

    /// Kinds of signals one of which was no use, so that it is said once.
    private final Set<Signal.KindCase> passedOver = ConcurrentHashMap.newKeySet();

    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Duration lastHeard = Duration.ZERO;
    private volatile Context.CancellableContext call = Context.current().withCancellation();

    /// @param uptime time that nobody can set
    public Link(ControlPlaneClient client, Listener listener, Supplier<Duration> uptime) {
        this.client = client;
        this.listener = listener;
        this.uptime = uptime;
    }

    public void start() {
        Thread.ofVirtual().name("link").start(this::hold);
        Thread.ofVirtual().name("link-watch").start(this::watchSilence);
    }

    private void hold() {
        var pause = FIRST_PAUSE;
        while (closed.getCount() > 0) {
            var began = uptime.get();
            var wait = pause;
            try {
                listen();
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() == Status.Code.UNIMPLEMENTED)
                    wait = PAUSE_WHERE_NOT_OFFERED;
                log.debug("link: down ({}); polling goes on", e.getStatus());
            } catch (RuntimeException e) {
                log.error("link: an internal fault; it is held again", e);
            } finally {
                // Whatever ended it: who believes in a link that is gone polls too seldom.
                listener.down();
            }
            pause = isLongAgo(began) ? FIRST_PAUSE : longer(pause);
            if (rest(jitter(wait))) return;
        }
    }

    private void listen() {
        call = Context.current().withCancellation();
        lastHeard = uptime.get();
        var before = call.attach();
        try {
            var signals =
                    LinkServiceGrpc.newBlockingStub(client.channel())
                            .watch(WatchRequest.newBuilder().build());
            while (signals.hasNext()) heed(signals.next());
        } finally {
            call.detach(before);
            call.cancel(null);
        }
    }

    /// Each is a hint only: one that cannot be understood, or leads to a fault, must not cost those
    /// behind it.
    private void heed(Signal signal) {
        lastHeard = uptime.get();
        try {
            hear(signal);
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            if (passedOver.add(signal.getKindCase()))
                log.warn("link: a signal is passed over kind={}", signal.getKindCase(), e);
        }
    }

    private void hear(Signal signal) {
        switch (signal.getKindCase()) {
            case KEEP_ALIVE -> listener.up();
            case COMMAND -> listener.command(signal.getCommand());
            case REPOSITORY_CHANGED ->
                    listener.repositoryChanged(
                            new RepositoryId(signal.getRepositoryChanged().getRepositoryId()));
            case APPLICATIONS_CHANGED -> listener.applicationsChanged();
            case LIVE_STATE_WANTED ->
                    listener.liveStateWanted(
                            new ApplicationId(signal.getLiveStateWanted().getApplicationId()));
            case EVENTS_CHANGED -> listener.eventsChanged();
            // A newer control plane may say more; what it says is a hint only.
            case KIND_NOT_SET -> {}
        }
    }

    /// A connection that is dead without saying so would otherwise be trusted for ever.
    private void watchSilence() {
        while (!rest(Duration.ofSeconds(5))) {
            if (isLongAgo(lastHeard)) call.cancel(null);
        }
    }

    private boolean isLongAgo(Duration moment) {
        return moment.plus(LONGEST_SILENCE).compareTo(uptime.get()) < 0;
    }

    private static Duration longer(Duration pause) {
        var twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
    }

    private static Duration jitter(Duration pause) {
        return pause.plusMillis(ThreadLocalRandom.current().nextLong(1 + pause.toMillis() / 4));
    }

    private boolean rest(Duration pause) {
        try {
            return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        call.cancel(null);
    }

    /// Who is told. Must not block.
    public interface Listener {
        void up();

        void down();

        void command(Command command);

        void repositoryChanged(RepositoryId repository);

        void applicationsChanged();

        void liveStateWanted(ApplicationId application);

        void eventsChanged();
    }
}
