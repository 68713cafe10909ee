// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.insight.InsightStore.Mark;
import dev.pipecd.controlplane.insight.InsightStore.State;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts deployments as they complete. It reads the trail from where it stopped, so that nothing
/// is missed while the server is down, and counts each deployment by its id, so that nothing counts
/// twice. What was completed before there was a trail is read once, at the first start; and at
/// every start what a public server, which leaves no trail, may have written since the place it
/// stopped at.
public final class Collector implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Collector.class);
    private static final int AT_ONCE = 200;
    private static final int SUMMED_AT_ONCE = 1_000;
    private static final long PACE_MILLIS = 1_000;
    private static final long LOOK_AGAIN_SECONDS = 60;

    /// The servers' clocks may differ by so much.
    private static final long MARGIN_SECONDS = 3_600;

    private static final List<DeploymentStatus> COMPLETED =
            List.of(
                    DeploymentStatus.DEPLOYMENT_SUCCESS,
                    DeploymentStatus.DEPLOYMENT_FAILURE,
                    DeploymentStatus.DEPLOYMENT_CANCELLED);

    private final InsightStore store;
    private final Changes changes;
    private final Semaphore news = new Semaphore(1);
    private final CountDownLatch stop = new CountDownLatch(1);
    private boolean caughtUp;
    private boolean summedUp;

    public Collector(InsightStore store, Changes changes) {
        this.store = store;
        this.changes = changes;
    }

    /// What is counted, for those who tell it elsewhere.
    public InsightStore store() {
        return store;
    }

    /// Follows the trail on a thread of its own until it is closed.
    public void start() {
        var listening = changes.listen(this::hear);
        var _ =
                Thread.ofVirtual()
                        .name("insight")
                        .start(() -> {
                            try (listening) {
                                follow();
                            }
                        });
    }

    private void hear(Change change) {
        if (change.kind() == Change.Kind.DEPLOYMENT && news.availablePermits() == 0) news.release();
    }

    private void follow() {
        try {
            // A pace, because a running deployment changes many times a second.
            while (!stop.await(PACE_MILLIS, TimeUnit.MILLISECONDS)) {
                var _ = news.tryAcquire(LOOK_AGAIN_SECONDS, TimeUnit.SECONDS);
                attempt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void attempt() {
        try {
            collect();
        } catch (RuntimeException e) {
            log.warn("the figures could not be counted; they are when the store is well again", e);
        }
    }

    /// Counts all that is not counted yet.
    public synchronized void collect() {
        if (stopping()) return; // the store may be closed by now
        while (!summedUp && !stopping()) summedUp = store.sumUp(SUMMED_AT_ONCE);
        var mark = store.mark();
        while (mark.state() != State.FOLLOWING && !stopping()) mark = readFirst(mark);
        if (!caughtUp) catchUp(mark);
        while (!stopping()) {
            var found = store.after(mark.place(), AT_ONCE);
            if (found.place() == mark.place()) return;
            mark = new Mark(State.FOLLOWING, "", found.place());
            store.count(deliveries(found.deployments()), mark);
        }
    }

    /// The mark stays where it is until all is counted: who dies here begins again from there.
    private void catchUp(Mark mark) {
        var reached = store.reachedAt(mark.place());
        if (reached.isPresent())
            for (var status : COMPLETED)
                catchUp(mark, Math.max(0, reached.getAsLong() - MARGIN_SECONDS), status);
        caughtUp = !stopping();
    }

    private void catchUp(Mark mark, long since, DeploymentStatus status) {
        var last = Cursor.START;
        while (!stopping()) {
            var found = store.writtenSince(since, status, last, AT_ONCE);
            if (found.isEmpty()) return;
            store.count(deliveries(found), mark);
            last = new Cursor(found.getLast().getUpdatedAt(), found.getLast().getId());
        }
    }

    /// The place of the trail is taken before the first deployment is read: what completes
    /// meanwhile is found again behind it.
    private Mark readFirst(Mark mark) {
        var place = mark.state() == State.NEVER_BEGUN ? changes.latest() : mark.place();
        var found = store.completedBehind(mark.behind(), AT_ONCE);
        var next =
                found.isEmpty()
                        ? new Mark(State.FOLLOWING, "", place)
                        : new Mark(State.FIRST_READING, found.getLast().getId(), place);
        store.count(deliveries(found), next);
        return next;
    }

    private static List<Delivery> deliveries(List<Deployment> deployments) {
        return deployments.stream().flatMap(d -> Delivery.of(d).stream()).toList();
    }

    private boolean stopping() {
        return stop.getCount() == 0;
    }

    @Override
    public void close() {
        stop.countDown();
        news.release();
        synchronized (this) {
            // the batch that was being counted is done
        }
    }
}
