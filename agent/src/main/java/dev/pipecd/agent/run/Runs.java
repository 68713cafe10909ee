// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.process.Machine;
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

    private final Outbox outbox;
    private final DeploymentRun.World world;
    private final InstantSource clock;
    private final Stages stages;
    private final Ends ends;
    private final Voice voice;
    private final Turns turns;
    private final LeftDeploying.Search left = new LeftDeploying.Search();

    private final Set<DeploymentId> opening = ConcurrentHashMap.newKeySet();
    private final Set<DeploymentId> over = ConcurrentHashMap.newKeySet();
    private final Map<DeploymentId, NotTakenUp> notTakenUp = new ConcurrentHashMap<>();

    /// Orders that led to a deployment which was not known here.
    private final Set<String> carriedOut = ConcurrentHashMap.newKeySet();

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
        this.voice = new Voice(notifier);
        var machine = Machine.of(clock);
        this.turns = new Turns(gate, machine, ends::room);
        this.world =
                new DeploymentRun.World(
                        planning, gate, stages, machine, notifier, turns, this::ended);
    }

    /// After a restart: goes on exactly where the journal says.
    public synchronized void takeUp(Map<DeploymentId, List<Entry>> stories) {
        // Before any is planned: it is planned against these.
        Document.lastSucceeded(stories.values()).forEach(ends::succeededBefore);
        var unfinished = new ArrayList<DeploymentRun>();
        stories.forEach((id, story) -> {
            var sheet = Document.found(story);
            if (sheet.isEmpty()) return;
            ends.openedBefore(sheet.get());
            var run = new DeploymentRun(sheet.get(), story, outbox, world);
            if (run.state().finished()) over.add(id);
            else unfinished.add(run);
        });
        // Of two that were opened at once the later in the journal may have been the first to run.
        unfinished.sort(Turns.BEGUN_FIRST);
        // Another agent may have ended some of those that were going on here at the start.
        stages.keep(unfinished.stream().map(DeploymentRun::id).collect(Collectors.toSet()));
        unfinished.forEach(run -> takeUp(run, List.of(new Observation.TakenUp())));
        if (active() > 0)
            log.info("taking up {} deployment(s) where the journal left them", active());
    }

    /// Opens a deployment. Recorded with everything that led to it; never fails on what could not
    /// be planned. False when another agent may act, and may have opened it.
    ///
    /// @param reports of it, the one that creates it first
    public boolean open(Deployment pending, List<Report> reports) {
        if (!opens() || Marks.orders(pending).stream().anyMatch(carriedOut::contains)) return false;
        var id = new DeploymentId(pending.getId());
        // The control plane may list it before it has begun here.
        opening.add(id);
        try {
            outbox.record(List.of(new Sheet(id, pending.toByteArray())), reports);
            voice.opened(pending);
            var run = new DeploymentRun(pending, List.of(), outbox, world);
            // Many that are opened at once share the disk's time: only this goes one by one.
            synchronized (this) {
                left.begins(run.application());
                turns.begin(run, List.of(new Observation.TakenUp()));
            }
        } finally {
            opening.remove(id);
        }
        return true;
    }

    /// Whether anything may be opened here now.
    public boolean opens() {
        return !closed && world.gate().opens(reconciled);
    }

    private void takeUp(DeploymentRun run, List<Observation> first) {
        left.begins(run.application());
        turns.takeUp(run, first);
    }

    /// One that is told to end hears it at once, also where there is no room to go on.
    void hasten(DeploymentRun run) {
        turns.overtake(run);
    }

    private void ended(DeploymentRun run) {
        Optional<DeploymentRun> next;
        synchronized (this) {
            over.add(run.id());
            takenForLost.remove(run.id());
            next = turns.leave(run);
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
        var first = !reconciled;
        reconciled = true;
        if (first) ends.room();
        var listed =
                unfinished.stream()
                        .map(d -> new DeploymentId(d.getId()))
                        .collect(Collectors.toSet());
        notTakenUp.keySet().retainAll(listed);
        turns.letIn();
        for (var run : turns.all()) {
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
        turns.overtake(run);
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
        if (closed || opening.contains(id) || find(id).isPresent() || over.contains(id)) return;
        log.warn(
                "deployment {} is not in the journal; going on with what the control plane knows",
                id.brief());
        var restoration = Restoration.of(deployment, clock.instant());
        var entries = new ArrayList<Entry>();
        entries.add(new Sheet(id, deployment.toByteArray()));
        restoration.past().forEach(event -> entries.add(new Moved(id, event, clock.instant())));
        var run = new DeploymentRun(deployment, entries, outbox, world);
        outbox.record(entries, new Telling(deployment, true, clock.instant()).restored());
        turns.add(run);
        carriedOut.addAll(Marks.orders(deployment));
        ends.openedBefore(deployment);
        found.accept(id);
        takeUp(run, restoration.first());
    }

    Optional<DeploymentRun> find(DeploymentId id) {
        return turns.find(id);
    }

    /// What this agent knows of a deployment that somebody names.
    Known know(DeploymentId id) {
        // Asked first: what was restored before is found below.
        var all = reconciled && !opening.contains(id);
        var run = find(id);
        if (run.isPresent())
            return run.get()
                    .fault()
                    .<Known>map(Known.Broken::new)
                    .orElse(new Known.GoingOn(run.get()));
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
                        turns.all().stream()
                                .flatMap(r -> r.fault().map(w -> Fault.of(r.sheet(), w)).stream()),
                        notTakenUp.values().stream().map(l -> Fault.of(l.document, l.what)))
                .toList();
    }

    public boolean deploying(ApplicationId application) {
        return turns.all().stream().anyMatch(run -> run.application().equals(application));
    }

    /// How much waits to be told to the control plane.
    long bytesWaiting() {
        return outbox.bytes();
    }

    public int active() {
        return turns.all().size();
    }

    /// For how many more there is room: what nobody ordered is not opened before that.
    public int room() {
        return turns.room();
    }

    /// Where each deployment that goes on stands, as its public document.
    public List<Deployment> goingOn() {
        return turns.all().stream()
                .map(run -> run.sheet().toBuilder().setStatus(Telling.status(run.state())).build())
                .toList();
    }

    @Override
    public void close() {
        closed = true;
        turns.close();
    }

    /// Another agent goes on with all of it. Nothing more is recorded or told here.
    public void leave() {
        closed = true;
        turns.close(world.machine(), Runs::leave);
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

        /// It was opened before this start, here or by another.
        default void openedBefore(Deployment deployment) {}

        /// Something may be opened again, or for the first time.
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
