// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.domain.DeploymentId;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Delivers reports: recorded first, in order within a lane, at least once. What is refused for
/// good is parked and shown, and never blocks what is behind it.
public final class Outbox implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Outbox.class);

    /// Between two calls about one thing; nobody sees the difference.
    private static final Duration BREATH = Duration.ofMillis(50);

    /// Calls under way at a time: more would only wait at the control plane, where nobody knows
    /// whose turn it is.
    private static final int AT_ONCE = 32;

    private final Ledger ledger;
    private final Sender sender;
    private final BooleanSupplier acting;
    private final Machine machine;
    private final ReentrantLock lock = new ReentrantLock();
    private final Machine.Bell bell;
    private final LaneBells delivered;
    private final Map<String, Lane> lanes = new HashMap<>();

    /// Lanes with something to carry. What happened first is told first: a lane that has little to
    /// tell does not wait until a thousand others have told everything.
    private final Queue<Lane> line =
            new PriorityQueue<>(Comparator.comparingLong(lane -> lane.reports.element().number()));

    private final LaneLocks orders = new LaneLocks();

    /// What was told last of each application in this life of the agent, by lane.
    private final Map<String, Queued> states = new ConcurrentHashMap<>();

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong nudges = new AtomicLong();
    private volatile boolean closed;
    private int carriers;

    public Outbox(Ledger ledger, Sender sender, InstantSource clock) {
        this(ledger, sender, clock, () -> true);
        begin();
    }

    /// @param acting whether this agent is surely the one that acts under its id: until then it
    ///   tells nothing of applications, which would stand for what another told since, and of no
    ///   new deployment, which another may have opened too
    public Outbox(Ledger ledger, Sender sender, InstantSource clock, BooleanSupplier acting) {
        this.ledger = ledger;
        this.sender = sender;
        this.acting = acting;
        this.machine = Machine.of(clock);
        this.bell = machine.bell();
        this.delivered = new LaneBells(machine);
        enqueue(false);
    }

    /// The agent goes on where the journal left it: so does what only who acts may tell.
    public void begin() {
        enqueue(true);
    }

    private void enqueue(boolean onlyActing) {
        var undelivered = ledger.undelivered();
        var unheard = Ledger.unheard(undelivered);
        enqueue(
                undelivered.stream()
                        .filter(report ->
                                onlyActing
                                        == (Ledger.ofApplication(report)
                                                || unheard.contains(report.lane())))
                        .toList());
    }

    /// Records the entries together with the reports they lead to, then lets the reports go.
    /// Returns when all is on the disk: after a crash both are there, or neither.
    public void record(List<? extends Entry> entries, List<Report> reports) {
        if (entries.isEmpty() && reports.isEmpty()) return;
        // One at a time per lane, so that the order of the numbers is the order of sending.
        orders.during(reports.stream().map(Report::lane).toList(), () -> write(entries, reports));
    }

    private void write(List<? extends Entry> entries, List<Report> reports) {
        var all = new ArrayList<Entry>(entries);
        var queued =
                reports.stream()
                        .map(r -> new Queued(ledger.nextNumber(), r.lane(), r.call(), r.body()))
                        .toList();
        all.addAll(queued);
        ledger.record(all);
        for (var report : queued)
            if (Reports.isState(report.call())) states.put(report.lane(), report);
        enqueue(queued);
    }

    public void send(Report report) {
        record(List.of(), List.of(report));
    }

    /// For a state of an application that may have to be taken back.
    public Told sendState(Report report) {
        synchronized (orders.of(report.lane())) {
            var before = Optional.ofNullable(states.get(report.lane()));
            send(report);
            return new Told(number(report), before.map(Queued::body));
        }
    }

    /// Takes that back, unless something else was told of the application since.
    ///
    /// @param told its number; 0 when it was told in an earlier life
    public void sendBehind(long told, Report report) {
        synchronized (orders.of(report.lane())) {
            if (number(report) == told) send(report);
        }
    }

    private long number(Report report) {
        var told = states.get(report.lane());
        return told == null ? 0 : told.number();
    }

    /// Why nothing can be recorded; empty when all is well.
    public String trouble() {
        return ledger.trouble();
    }

    /// How many reports wait to be delivered.
    public int waiting() {
        lock.lock();
        try {
            return lanes.values().stream().mapToInt(l -> l.reports.size()).sum();
        } finally {
            lock.unlock();
        }
    }

    /// Comes back when nothing of a lane waits any more, or when the time is over.
    public void awaitDelivered(String lane, Duration atMost) {
        try {
            var _ = delivered.await(lane, () -> !waits(lane), atMost);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether something of a lane waits to be delivered.
    public boolean waits(String lane) {
        return first(lane).isPresent();
    }

    private Optional<Queued> first(String name) {
        lock.lock();
        try {
            return Optional.ofNullable(lanes.get(name)).map(lane -> lane.reports.peek());
        } finally {
            lock.unlock();
        }
    }

    /// What the control plane says to a deployment that was opened; to come again when it has not
    /// heard of it in this time.
    public Answer awaitHeard(DeploymentId deployment, Duration atMost) throws InterruptedException {
        var lane = Ledger.lane(deployment);
        if (!delivered.await(lane, () -> first(lane).filter(Ledger::creates).isEmpty(), atMost))
            return new Answer.ComeAgain("it has not heard of it yet");
        return ledger.refused(deployment)
                .<Answer>map(Answer.Refused::new)
                .orElseGet(Answer.Taken::new);
    }

    /// How much waits to be delivered.
    public long bytes() {
        return bytes.get();
    }

    /// Tries at once what waits for its pause to pass: the control plane is back.
    public void nudge() {
        nudges.incrementAndGet();
        bell.ring();
    }

    /// All at once: what was recorded together may go together.
    private void enqueue(List<Queued> reports) {
        lock.lock();
        try {
            if (!closed) reports.forEach(this::add);
        } finally {
            lock.unlock();
        }
    }

    private void add(Queued report) {
        var lane = lanes.computeIfAbsent(report.lane(), Lane::new);
        lane.reports.add(report);
        bytes.addAndGet(report.body().length);
        if (lane.served) return;
        lane.served = true;
        join(lane);
    }

    private void join(Lane lane) {
        line.add(lane);
        if (carriers == AT_ONCE) return;
        carriers++;
        machine.start("outbox", this::carry);
    }

    private void carry() {
        for (var next = next(); next != null; next = next()) deliver(next.lane, next.reports);
    }

    private @Nullable Carried next() {
        lock.lock();
        try {
            var lane = closed ? null : line.poll();
            if (lane != null) return new Carried(lane, lane.together());
            carriers--;
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void deliver(Lane lane, List<Queued> reports) {
        if (Ledger.isOfWhoActs(reports.getFirst()) && !acting.getAsBoolean()) {
            comeAgain(lane);
            return;
        }
        var settled = 0;
        var again = false;
        try {
            for (var answer : sender.send(reports)) {
                again = answer instanceof Answer.ComeAgain;
                if (again) break;
                settle(reports.get(settled), answer);
                settled++;
            }
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            // A fault of ours must not end who carries, nor the lane: what is told twice is known.
            log.error("a report of {} is tried again after an internal fault", lane.name, e);
            again = true;
        }
        if (settled > 0) forget(lane, settled);
        if (again) comeAgain(lane);
        else goOn(lane);
    }

    /// Whoever rests carries nothing: others may get through meanwhile.
    private void comeAgain(Lane lane) {
        machine.start("outbox-" + lane.name, () -> tryLater(lane));
    }

    private void settle(Queued report, Answer answer) {
        if (!(answer instanceof Answer.Refused(var why))) {
            ledger.recordLater(new Entry.Delivered(report.number()));
            return;
        }
        log.warn(
                "report parked: {} of {} is refused by the control plane: {}",
                report.call(),
                report.lane(),
                why);
        ledger.recordLater(
                new Entry.Parked(
                        report.number(), report.lane(), report.call(), why, machine.instant()));
    }

    private void forget(Lane lane, int settled) {
        lock.lock();
        try {
            for (var i = 0; i < settled; i++) bytes.addAndGet(-lane.reports.remove().body().length);
            lane.getsThrough();
        } finally {
            lock.unlock();
        }
        delivered.ring(lane.name);
    }

    private void goOn(Lane lane) {
        lock.lock();
        try {
            if (!lane.reports.isEmpty()) {
                line.add(lane);
                return;
            }
        } finally {
            lock.unlock();
        }
        machine.start("outbox-" + lane.name, () -> gather(lane));
    }

    /// What has just told something soon tells more, which may then go together.
    private void gather(Lane lane) {
        if (!rest(BREATH)) return;
        lock.lock();
        try {
            if (!lane.reports.isEmpty()) {
                if (!closed) join(lane);
                return;
            }
            lane.served = false;
            lanes.remove(lane.name);
        } finally {
            lock.unlock();
        }
    }

    private void tryLater(Lane lane) {
        if (!rest(lane.pause())) return;
        lane.pausesLonger();
        lock.lock();
        try {
            if (!closed) join(lane);
        } finally {
            lock.unlock();
        }
    }

    /// False when the agent stops.
    private boolean rest(Duration pause) {
        var before = nudged();
        try {
            var _ = bell.await(() -> nudged() != before, pause);
            return nudged() >= 0;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /// How often so far; negative at the end.
    private long nudged() {
        return closed ? -1 : nudges.get();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        bell.ring();
    }

    /// Carries reports over the wire.
    public interface Sender {
        /// Answers of the first of the reports, in order: of as many as went together, one at
        /// least. Behind one that asks to come again none was taken.
        List<Answer> send(List<Queued> reports);
    }

    /// What the control plane says to a report.
    public sealed interface Answer {
        /// It has it, perhaps since before.
        record Taken() implements Answer {}

        /// It will never take it.
        record Refused(String why) implements Answer {}

        /// It could not be asked, or asks to come again.
        record ComeAgain(String why) implements Answer {}
    }

    private record Carried(Lane lane, List<Queued> reports) {}

    /// @param before the report that told the state before, if one did in this life
    public record Told(long number, Optional<byte[]> before) {}
}
