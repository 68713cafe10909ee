// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.process.Room;
import dev.pipecd.agent.process.Together;
import dev.pipecd.agent.report.LeftDeploying;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.run.Orders.Known;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.domain.engine.Observation.RollbackWish;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All deployments this agent looks after, one at a time per application: later ones wait.
public final class Runs implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Runs.class);
    private static final String LOST = Outcome.Lost.class.getSimpleName();

    /// Each took 27 KB of the heap, twice as much while the control plane was away, as measured
    /// before they shared buffers.
    static final int AT_ONCE = 1_000;

    private final Outbox outbox;
    private final DeploymentRun.World world;
    private final InstantSource clock;
    private final Stages stages;
    private final Ends ends;
    private final Voice voice;
    private final ChainWait chained;
    private final Turns turns = new Turns();
    private final Room<DeploymentRun> room;
    private final LeftDeploying.Search left = new LeftDeploying.Search();

    /// Read without the lock: whoever asks must not wait for a disk.
    private final Map<DeploymentId, DeploymentRun> runs = new ConcurrentHashMap<>();

    private final Set<DeploymentId> opening = ConcurrentHashMap.newKeySet();
    private final Set<DeploymentId> over = ConcurrentHashMap.newKeySet();
    private final Map<DeploymentId, NotTakenUp> notTakenUp = new ConcurrentHashMap<>();

    /// So that it is said once.
    private final Set<DeploymentId> takenForLost = ConcurrentHashMap.newKeySet();

    private volatile boolean reconciled;
    private volatile boolean closed;

    public Runs(
            Outbox outbox,
            Planning planning,
            Gate gate,
            Stages stages,
            InstantSource clock,
            Notifier notifier,
            Ends ends) {
        this.outbox = outbox;
        this.clock = clock;
        this.stages = stages;
        this.ends = ends;
        this.room = new Room<>(AT_ONCE, ends::room);
        this.voice = new Voice(notifier);
        this.world =
                new DeploymentRun.World(
                        planning, gate, stages, Machine.of(clock), notifier, turns, this::ended);
        this.chained = new ChainWait(gate, world.machine(), this::chainHasCome);
    }

    /// After a restart: goes on exactly where the journal says. Answers the deployments it found,
    /// oldest first.
    public synchronized List<Deployment> takeUp(Map<DeploymentId, List<Entry>> stories) {
        // Before any is planned: it is planned against these.
        Document.lastSucceeded(stories.values()).forEach(ends::succeededBefore);
        var found = new ArrayList<Deployment>();
        var unfinished = new ArrayList<DeploymentRun>();
        stories.forEach((id, story) -> {
            var sheet = Document.found(story);
            if (sheet.isEmpty()) return;
            found.add(sheet.get());
            var run = new DeploymentRun(sheet.get(), story, outbox, world);
            if (run.state().finished()) over.add(id);
            else unfinished.add(run);
        });
        // Of two that were opened at once the later in the journal may have been the first to run.
        unfinished.sort(Turns.BEGUN_FIRST);
        // Another agent may have ended some of those that were going on here at the start.
        stages.keep(unfinished.stream().map(DeploymentRun::id).collect(Collectors.toSet()));
        unfinished.forEach(run -> begin(run, List.of(new Observation.TakenUp()), room.enter(run)));
        if (!runs.isEmpty())
            log.info("taking up {} deployment(s) where the journal left them", runs.size());
        return found;
    }

    /// Opens a deployment. Recorded with everything that led to it; never fails on what could not
    /// be planned. False when another agent may act, and may have opened it.
    ///
    /// @param reports of it, the one that creates it first
    public boolean open(Deployment pending, List<Report> reports) {
        if (closed || !world.gate().opens()) return false;
        var id = new DeploymentId(pending.getId());
        // The control plane may list it before it has begun here.
        opening.add(id);
        try {
            outbox.record(List.of(new Sheet(id, pending.toByteArray())), reports);
            voice.opened(pending);
            var run = new DeploymentRun(pending, List.of(), outbox, world);
            // Many that are opened at once share the disk's time: only this goes one by one.
            synchronized (this) {
                room.enter();
                begin(run, List.of(new Observation.TakenUp()), true);
            }
        } finally {
            opening.remove(id);
        }
        return true;
    }

    /// Also one that there is no room for yet stands in the line of its application.
    private void begin(DeploymentRun run, List<Observation> first, boolean hasRoom) {
        runs.put(run.id(), run);
        left.begins(run.application());
        run.awaits(first);
        var isChained = ChainWait.concerns(run);
        if (hasRoom) start(run);
        if (!isChained && turns.join(run)) run.itsTurn();
    }

    /// From here on one that waits, for its turn or for its chain, hears a cancel.
    private void start(DeploymentRun run) {
        run.start();
        if (ChainWait.concerns(run)) chained.begin(run);
        if (closed) run.detach();
    }

    private synchronized void chainHasCome(DeploymentRun run) {
        // It may have been cancelled while it waited.
        if (runs.containsKey(run.id()) && turns.join(run)) run.itsTurn();
    }

    private void ended(DeploymentRun run) {
        Optional<DeploymentRun> next;
        synchronized (this) {
            over.add(run.id());
            runs.remove(run.id());
            takenForLost.remove(run.id());
            next = turns.leave(run);
            room.leave().filter(_ -> !closed).ifPresent(this::start);
        }
        try {
            if (run.state() instanceof DeploymentState.Finished(Outcome.Succeeded _, _))
                ends.succeeded(run.sheet());
            stages.release(run.sheet());
        } catch (Throwable e) {
            // Nobody else would hand on the turn.
            log.error("deployment {}: its end is not known everywhere in the agent", run.id(), e);
        }
        next.ifPresent(DeploymentRun::itsTurn);
    }

    /// Compares what the control plane believes with what is going on here.
    ///
    /// @param ask the control plane about one deployment
    /// @param found called with each deployment that was not known here, before it goes on
    public void reconcile(
            Collection<Deployment> unfinished,
            Function<DeploymentId, Optional<Deployment>> ask,
            Consumer<DeploymentId> found) {
        for (var deployment : Restoration.inOrder(unfinished)) takeUp(deployment, found);
        reconciled = true;
        var listed =
                unfinished.stream()
                        .map(d -> new DeploymentId(d.getId()))
                        .collect(Collectors.toSet());
        notTakenUp.keySet().retainAll(listed);
        for (var run : runs.values()) {
            if (listed.contains(run.id()) || outbox.waiting() > 0) continue;
            ask.apply(run.id())
                    .filter(Restoration::isOver)
                    .ifPresent(there -> overThere(run, there));
        }
    }

    /// Before the first `reconcile` after a start: takes back what is left of an end that was lost.
    /// Later only of those that could not be told then.
    ///
    /// @param listed applications as the control plane has just told of them
    public void tellOver(
            Supplier<Stream<Application>> listed,
            Collection<Deployment> unfinished,
            Function<DeploymentId, Optional<Deployment>> ask) {
        if (reconciled && !left.isOpen()) return;
        left.among(!reconciled, listed.get(), unfinished, over::contains, ask)
                .forEach(this::tellOver);
    }

    /// Alone: one that begins meanwhile tells of itself behind this. What waits to be told of the
    /// application is how it ended.
    private synchronized void tellOver(LeftDeploying left) {
        if (!deploying(left.id()) && !outbox.waits(Ledger.lane(left.id())))
            outbox.record(List.of(), left.over(clock.instant()));
    }

    /// What was only taken for lost while nobody heard of this agent goes on: its true end corrects
    /// that.
    private void overThere(DeploymentRun run, Deployment there) {
        if (Marks.of(there, Telling.OUTCOME).filter(LOST::equals).isPresent()) {
            if (takenForLost.add(run.id()))
                log.warn(
                        "deployment {} was taken for lost at the control plane; it goes on, and its end is told",
                        run.id().brief());
            return;
        }
        log.warn(
                "deployment {} is {} at the control plane; stopping it here",
                run.id().brief(),
                there.getStatus());
        run.see(new Observation.CancelOrdered("the control plane", RollbackWish.NEVER));
    }

    /// One that cannot be taken up does not keep the others from it.
    private void takeUp(Deployment deployment, Consumer<DeploymentId> found) {
        var id = new DeploymentId(deployment.getId());
        try {
            restoreIfUnknown(id, Restoration.sheet(deployment), found);
            notTakenUp.remove(id);
        } catch (JournalClosed stopped) {
            throw stopped;
        } catch (RuntimeException e) {
            log.error("deployment {}: cannot be taken up from the control plane", id, e);
            notTakenUp.put(id, new NotTakenUp(deployment, "cannot be taken up: " + e));
        }
    }

    /// Even one that cannot be taken up has an exit: a person cancels it. What came of its stages
    /// is not known then, and said so. False when it is over by now.
    synchronized boolean giveUp(DeploymentId id, String person, Report alongside) {
        var left = notTakenUp.get(id);
        if (left == null || closed) return false;
        var now = clock.instant();
        var speaks = !deploying(new ApplicationId(left.document.getApplicationId()));
        var lost = new Outcome.Lost("given up by %s: %s".formatted(person, left.what));
        var reports = new ArrayList<>(new Telling(left.document, speaks, now).lost(lost));
        reports.add(alongside);
        var ended = new DeploymentEvent.Ended(lost);
        outbox.record(
                List.of(new Sheet(id, left.document.toByteArray()), new Moved(id, ended, now)),
                reports);
        over.add(id);
        notTakenUp.remove(id);
        voice.tell(List.of(ended), () -> left.document, speaks, now);
        return true;
    }

    private synchronized void restoreIfUnknown(
            DeploymentId id, Deployment deployment, Consumer<DeploymentId> found) {
        if (closed || opening.contains(id) || runs.containsKey(id) || over.contains(id)) return;
        log.warn(
                "deployment {} is not in the journal; going on with what the control plane knows",
                id.brief());
        var restoration = Restoration.of(deployment, clock.instant());
        var entries = new ArrayList<Entry>();
        entries.add(new Sheet(id, deployment.toByteArray()));
        restoration.past().forEach(event -> entries.add(new Moved(id, event, clock.instant())));
        var run = new DeploymentRun(deployment, entries, outbox, world);
        outbox.record(entries, new Telling(deployment, true, clock.instant()).restored());
        runs.put(id, run);
        found.accept(id);
        begin(run, restoration.first(), room.enter(run));
    }

    Optional<DeploymentRun> find(DeploymentId id) {
        return Optional.ofNullable(runs.get(id));
    }

    /// What this agent knows of a deployment that somebody names.
    Known know(DeploymentId id) {
        // Asked first: what was restored before is found below.
        var all = reconciled && !opening.contains(id);
        var run = runs.get(id);
        if (run != null)
            return run.fault().<Known>map(Known.Broken::new).orElse(new Known.GoingOn(run));
        var left = notTakenUp.get(id);
        if (left != null) return new Known.Broken(left.what);
        return all || over.contains(id) ? new Known.Over() : new Known.NotYet();
    }

    /// Whether the control plane has told, since the start, which deployments go on.
    public boolean reconciled() {
        return reconciled;
    }

    /// Deployments that do not go on by a fault of ours.
    public List<Fault> faults() {
        return Stream.concat(
                        runs.values().stream()
                                .flatMap(r -> r.fault().map(w -> Fault.of(r.sheet(), w)).stream()),
                        notTakenUp.values().stream().map(l -> Fault.of(l.document, l.what)))
                .toList();
    }

    public boolean deploying(ApplicationId application) {
        return runs.values().stream().anyMatch(run -> run.application().equals(application));
    }

    /// How much waits to be told to the control plane.
    long bytesWaiting() {
        return outbox.bytes();
    }

    public int active() {
        return runs.size();
    }

    /// For how many more there is room: what nobody ordered is not opened before that.
    public int room() {
        return room.left();
    }

    /// Where each deployment that goes on stands, as its public document.
    public List<Deployment> goingOn() {
        return runs.values().stream()
                .map(run -> run.sheet().toBuilder().setStatus(Telling.status(run.state())).build())
                .toList();
    }

    @Override
    public void close() {
        closed = true;
        chained.close();
        runs.values().forEach(DeploymentRun::detach);
    }

    /// Another agent goes on with all of it. Nothing more is recorded or told here.
    public void leave() {
        closed = true;
        try {
            Together.each(world.machine(), "leave", runs.values(), Runs::leave);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void leave(DeploymentRun run) {
        try {
            run.leave();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.error("deployment {}: what goes forward here is not stopped", run.id(), e);
        }
    }

    /// What the rest of the agent makes of it that deployments end.
    @FunctionalInterface
    public interface Ends {
        void succeeded(Deployment deployment);

        /// The journal tells it after a restart; it may have been told before.
        default void succeededBefore(Deployment deployment) {}

        /// There is room again, after there was none.
        default void room() {}
    }

    private record NotTakenUp(Deployment document, String what) {}

    /// A deployment that stands still although nobody wants it to.
    public record Fault(DeploymentId deployment, String application, String what) {
        static Fault of(Deployment sheet, String what) {
            return new Fault(new DeploymentId(sheet.getId()), sheet.getApplicationName(), what);
        }
    }
}
