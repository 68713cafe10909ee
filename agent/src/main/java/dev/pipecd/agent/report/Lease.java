// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says whether this agent is the one that acts under its id: it holds a lease at the control plane
/// and renews it. One that was started beside it waits until it is gone.
///
/// No clocks are compared: who waits counts by its own clock for how long the lease did not change,
/// and takes it after a whole life; who holds it counts from before it asked, and starts nothing
/// forward after half a life without an answer.
public final class Lease implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Lease.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(3);

    /// Short, so that a control plane that is exchanged for one that offers it is soon noticed,
    /// also behind a proxy whose connection stays.
    static final Duration PAUSE_WHERE_NOT_OFFERED = Duration.ofSeconds(20);

    private final LeaseOffice office;
    private final LeaseNote note;
    private final LeaseHolder candidate;
    private final LongSupplier nanos;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private volatile Standing standing = new Standing.Unknown();
    private LeaseOffice.Hold seen = LeaseOffice.Hold.NOBODYS;
    private long seenAt;
    private boolean begun;
    private boolean reaching;
    private boolean another;
    private boolean failing;

    /// When a look last came to its end that tells that this agent did not stand still: one that
    /// was answered, or one of a whole life of them, none long after the other.
    private volatile Moment looked;

    /// When a look last came to its end, whatever it found.
    private Moment tried;

    /// Since when it looks again, unanswered, after it stood still.
    private @Nullable Moment woke;

    /// @param candidate who takes it from another; a new one with each start
    /// @param nanos a clock that only runs forward
    public Lease(
            LeaseOffice office,
            LeaseNote note,
            LeaseHolder candidate,
            LongSupplier nanos,
            InstantSource clock) {
        this.office = office;
        this.note = note;
        this.candidate = candidate;
        this.nanos = nanos;
        this.clock = clock;
        this.looked = now();
        this.tried = looked;
    }

    private Moment now() {
        return new Moment(nanos.getAsLong(), clock.instant());
    }

    public void start(Tenant tenant) {
        thread = Thread.ofVirtual().name("lease").start(() -> keep(tenant));
    }

    private void keep(Tenant tenant) {
        do {
            look(tenant);
        } while (!rest());
        stop(tenant);
    }

    /// Gives it back where nothing of ours is left to be gone on with.
    void stop(Tenant tenant) {
        if (standing instanceof Standing.Held && tenant.idle()) giveBack();
    }

    /// Takes the lease, keeps it, or sees that it is another's.
    public void look(Tenant tenant) {
        try {
            ask(tenant);
            failing = false;
        } catch (Problem unreachable) {
            failing = true;
            // What this machine has begun it may end; forward it goes only when it is sure.
            if (!begun && note.read().known() && !(standing instanceof Standing.Others))
                begin(tenant);
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            failing = true;
            log.error("lease: an internal fault; it is tried again", e);
        }
        looks();
    }

    /// After a standstill a look fails at once, since the connection is dead, and tells nothing of
    /// who acted meanwhile. Only where the control plane stays away does it go on without.
    private synchronized void looks() {
        var now = now();
        var life = life();
        if (tried.until(now).compareTo(life.dividedBy(2)) > 0) woke = now;
        if (!failing || (woke != null && woke.until(now).compareTo(life) >= 0)) woke = null;
        tried = now;
        if (woke == null) looked = now;
        notifyAll();
    }

    private Duration life() {
        return standing instanceof Standing.Held(_, var life) ? life : candidate.life();
    }

    private void ask(Tenant tenant) {
        // Where an answer was lost it may have been taken: what is not read again would count
        // twice.
        if (failing || !(standing instanceof Standing.Held)) {
            var found = office.stands();
            if (found.isEmpty()) {
                doWithout(tenant);
                return;
            }
            notice(found.get());
        }
        if (mine(seen) || free(seen)) take(tenant);
        else waitFor(seen, tenant);
    }

    private void notice(LeaseOffice.Hold stands) {
        if (!stands.equals(seen)) seenAt = nanos.getAsLong();
        seen = stands;
    }

    private boolean mine(LeaseOffice.Hold hold) {
        return (reaching && hold.holder().equals(candidate.text()))
                || (!hold.holder().isEmpty() && hold.holder().equals(note.read().holder()));
    }

    private boolean free(LeaseOffice.Hold hold) {
        return hold.holder().isEmpty()
                || nanos.getAsLong() - seenAt
                        >= LeaseHolder.life(hold.holder()).orElse(candidate.life()).toNanos();
    }

    private void take(Tenant tenant) {
        var before = seen;
        if (!mine(before)) {
            reaching = true;
            another = !note.read().wasLast(before);
            if (begun && another) {
                lose(tenant);
                return;
            }
        }
        var wanted = mine(before) ? before.holder() : candidate.text();
        var asked = now();
        notice(office.take(before, wanted));
        if (!mine(seen)) waitFor(seen, tenant);
        else if (seen.term() == before.term() + 1) hold(asked, tenant);
    }

    private void hold(Moment asked, Tenant tenant) {
        var life = LeaseHolder.life(seen.holder()).orElse(candidate.life());
        if (!begun && another) tenant.forget();
        if (!note.read().holder().equals(seen.holder())) note.holds(seen.holder());
        if (!(standing instanceof Standing.Held)) log.info("this agent acts under its id");
        stand(new Standing.Held(asked, shorter(life, candidate.life())));
        begin(tenant);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void waitFor(LeaseOffice.Hold hold, Tenant tenant) {
        if (begun) {
            lose(tenant);
            return;
        }
        var told = LeaseHolder.told(hold.holder());
        if (!(standing instanceof Standing.Others(var known) && known.equals(told)))
            log.warn(
                    "another agent acts under this id: {}. This one waits and takes over when it is gone."
                            + " If only one was meant to run, stop one of them.",
                    told);
        stand(new Standing.Others(told));
    }

    private void lose(Tenant tenant) {
        var told = LeaseHolder.told(seen.holder());
        if (standing instanceof Standing.Others) return;
        log.error(
                "another agent took over this id: {}. This one ends what goes forward here, and waits.",
                told);
        stand(new Standing.Others(told));
        closed.countDown();
        tenant.lost();
    }

    private void doWithout(Tenant tenant) {
        if (!(standing instanceof Standing.NotOffered)) {
            log.info(
                    "the control plane offers no leases: see to it yourself that only one agent runs under this id");
            note.local();
        }
        stand(new Standing.NotOffered());
        begin(tenant);
    }

    private void begin(Tenant tenant) {
        if (begun) return;
        begun = true;
        tenant.begin();
    }

    private synchronized void stand(Standing now) {
        standing = now;
        notifyAll();
    }

    /// Whether something may be begun that changes a target forward.
    public boolean forward() {
        return switch (standing) {
            case Standing.NotOffered() -> true;
            case Standing.Held(var since, var life) -> isYoung(since, life);
            case Standing.Others _ -> false;
            case Standing.Unknown() -> note.read().isLocal();
        };
    }

    /// Whether it has looked lately. An agent that stood still for so long that another may act
    /// does not know it: until it was answered, or nobody was there to answer for long, it does
    /// nothing at all.
    public boolean isAwake() {
        return switch (standing) {
            case Standing.NotOffered() -> true;
            case Standing.Held(_, var life) -> isYoung(looked, life);
            case Standing.Others _ -> false;
            case Standing.Unknown() -> true;
        };
    }

    private boolean isYoung(Moment since, Duration life) {
        return since.until(now()).compareTo(life.dividedBy(2)) < 0;
    }

    /// Whether another may act under this id once this one is silent.
    public boolean isOffered() {
        return switch (standing) {
            case Standing.NotOffered() -> false;
            case Standing.Held _, Standing.Others _ -> true;
            case Standing.Unknown() -> !note.read().isLocal();
        };
    }

    /// Comes back when something may go forward.
    public synchronized void awaitForward() throws InterruptedException {
        while (!forward()) wait(LONGEST_PAUSE.toMillis());
    }

    /// Never comes back once another acts.
    public synchronized void awaitAwake() throws InterruptedException {
        while (!isAwake()) wait(LONGEST_PAUSE.toMillis());
    }

    /// Where it stands, for people.
    public String told() {
        return switch (standing) {
            case Standing.NotOffered() ->
                    "the control plane offers no leases; nothing but this folder's lock keeps a second agent away";
            case Standing.Held _ ->
                    forward()
                            ? "this agent acts under its id"
                            : "not renewed for long: nothing is begun until the control plane answers";
            case Standing.Others(var who) -> "waits: another agent acts under this id: " + who;
            case Standing.Unknown() ->
                    "not known yet who acts under this id: the control plane has not answered";
        };
    }

    private boolean rest() {
        try {
            return closed.await(pause().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    private Duration pause() {
        var life = candidate.life();
        return switch (standing) {
            case Standing.NotOffered() -> PAUSE_WHERE_NOT_OFFERED;
            case Standing.Held _ -> failing ? soon(life) : life.dividedBy(12);
            case Standing.Others _, Standing.Unknown() -> soon(life);
        };
    }

    private static Duration soon(Duration life) {
        return shorter(LONGEST_PAUSE, life.dividedBy(24));
    }

    /// So that one that waits begins at once.
    private void giveBack() {
        try {
            note.gaveBack(seen.term() + 1);
            office.take(seen, "");
        } catch (RuntimeException e) {
            log.info("the lease was not given back; another agent takes it a little later");
        }
    }

    @Override
    public void close() throws InterruptedException {
        closed.countDown();
        var looking = thread;
        if (looking != null) looking.join(STOPPED_WITHIN);
    }

    /// What depends on it.
    public interface Tenant {
        /// Another acted meanwhile: what the journal tells of unfinished deployments is no longer
        /// true.
        void forget();

        void begin();

        /// Another acts now.
        void lost();

        /// Whether nothing would be left behind by stopping now.
        boolean idle();
    }

    private sealed interface Standing {
        record Unknown() implements Standing {}

        record Held(Moment since, Duration life) implements Standing {}

        record Others(String told) implements Standing {}

        record NotOffered() implements Standing {}
    }

    /// By two clocks: one may stand still while the machine sleeps, the other may be set back.
    private record Moment(long nanos, Instant instant) {
        Duration until(Moment later) {
            var steady = Duration.ofNanos(later.nanos - nanos);
            var told = Duration.between(instant, later.instant);
            return steady.compareTo(told) > 0 ? steady : told;
        }
    }
}
