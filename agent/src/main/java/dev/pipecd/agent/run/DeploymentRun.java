// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import dev.pipecd.domain.engine.Effect;
import dev.pipecd.domain.engine.Engine;
import dev.pipecd.domain.engine.Observation;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One deployment on its walk: sees, decides, records, does. Its thread alone moves the state.
final class DeploymentRun {
    private static final Logger log = LoggerFactory.getLogger(DeploymentRun.class);

    /// When nothing waits for time it still looks around now and then.
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final DeploymentId id;
    private final Outbox outbox;
    private final World world;
    private final Notes notes = new Notes();
    private final LinkedBlockingQueue<Seen> mailbox = new LinkedBlockingQueue<>();
    private final Hands hands;
    private final Stops stops;
    private final Voice voice;
    private final StageOrders orders = new StageOrders();
    private volatile Deployment sheet;
    private volatile DeploymentState state;
    private volatile @Nullable Thread thread;
    private volatile @Nullable String fault;

    /// @param past what the journal tells of it, in order
    DeploymentRun(Deployment sheet, List<Entry> past, Outbox outbox, World world) {
        this.id = new DeploymentId(sheet.getId());
        this.sheet = sheet;
        this.outbox = outbox;
        this.world = world;
        this.state = new DeploymentState.Pending();
        this.hands = new Hands(id, this::fail);
        this.voice = new Voice(world.notifier());
        this.stops = new Stops(this::stopStage, work -> hands.start("stop", work));
        notes.take(sheet);
        for (var entry : past) {
            switch (entry) {
                case Moved(_, var event, var at) -> {
                    state = state.on(event);
                    if (event
                            instanceof
                            DeploymentEvent.StageMoved(var stage, StageEvent.Ended(var result)))
                        orders.settle(id, stage, result, at);
                }
                case Noted noted -> notes.put(noted);
                case Sheet _,
                        Entry.Queued _,
                        Entry.Delivered _,
                        Entry.Parked _,
                        Entry.Forgotten _ -> {}
            }
        }
    }

    DeploymentId id() {
        return id;
    }

    ApplicationId application() {
        return new ApplicationId(sheet.getApplicationId());
    }

    DeploymentState state() {
        return state;
    }

    Deployment sheet() {
        return sheet;
    }

    StageOrders orders() {
        return orders;
    }

    /// Why it stands still, when that is a fault of ours.
    Optional<String> fault() {
        return Optional.ofNullable(fault);
    }

    /// @param first what is seen first: usually that it was taken up
    void start(List<Observation> first) {
        first.forEach(this::see);
        thread = Thread.ofVirtual().name("deployment-" + id.brief()).start(this::walk);
    }

    void see(Observation seen) {
        see(seen, List.of());
    }

    /// @param alongside reports that must be recorded together with what this leads to
    void see(Observation seen, List<Report> alongside) {
        mailbox.add(new Seen(seen, alongside, Optional.empty()));
    }

    private void walk() {
        try {
            try {
                while (!state.finished()) step(next());
            } catch (JournalClosed stopped) {
                throw stopped;
            } catch (RuntimeException e) {
                fault = "its walk broke off by a fault of the agent: " + e;
                log.error(
                        "deployment {} of {}: its walk broke off; restart the agent to go on, or cancel it to give it up",
                        id,
                        sheet.getApplicationName(),
                        e);
                awaitGivingUp();
            }
            world.ended().accept(this);
        } catch (InterruptedException | JournalClosed stopped) {
            // The agent stops; the walk goes on from the journal.
        }
    }

    /// Even a walk that breaks off again after each restart has an exit: a person cancels it. What
    /// came of its stages is not known then, and said so.
    private void awaitGivingUp() throws InterruptedException {
        while (!state.finished()) {
            var seen = mailbox.take();
            if (!(seen.what instanceof Observation.CancelOrdered(var person, _))) continue;
            try {
                giveUp(person, seen.alongside);
            } catch (JournalClosed stopped) {
                throw stopped;
            } catch (RuntimeException e) {
                log.error(
                        "deployment {}: not given up; cancel it again, or restart the agent",
                        id,
                        e);
            }
        }
    }

    private void giveUp(String person, List<Report> alongside) {
        var now = world.clock().instant();
        var lost =
                new DeploymentEvent.Ended(
                        new Outcome.Lost("given up by %s: %s".formatted(person, fault)));
        var reports = new ArrayList<Report>(new Telling(sheet, now).of(lost, state.progress()));
        reports.addAll(alongside);
        // Once it is recorded as ended, nobody would stop them after a crash.
        state.progress().active().keySet().forEach(stage -> stops.begin(stage, "given up"));
        outbox.record(List.of(new Moved(id, lost, now)), reports);
        state = state.on(lost);
        voice.tell(List.of(lost), this::document, now);
    }

    private Seen next() throws InterruptedException {
        var wait =
                Engine.nextWake(state)
                        .map(at -> Duration.between(world.clock().instant(), at))
                        .filter(d -> d.compareTo(LONGEST_WAIT) < 0)
                        .orElse(LONGEST_WAIT);
        var seen = mailbox.poll(Math.max(0, wait.toMillis() + 1), TimeUnit.MILLISECONDS);
        if (seen != null) return seen;
        return new Seen(new Observation.TimePassed(), List.of(), Optional.empty());
    }

    private void step(Seen seen) {
        var now = world.clock().instant();
        var decision = Engine.decide(state, seen.what, now);
        var entries = new ArrayList<Entry>();
        var reports = new ArrayList<Report>();
        if (seen.sheet.isPresent() && !decision.events().isEmpty()) {
            sheet = seen.sheet.get();
            notes.take(sheet);
            entries.add(new Sheet(id, sheet.toByteArray()));
        }
        var telling = new Telling(sheet, now);
        for (var event : decision.events()) {
            entries.add(new Moved(id, event, now));
            if (event
                    instanceof DeploymentEvent.StageMoved(var stage, StageEvent.Started(var at, _)))
                note(stage, Map.of("pipecd/started-at", at.toString()), entries, reports);
            reports.addAll(telling.of(event, decision.state().progress()));
            if (event
                    instanceof DeploymentEvent.StageMoved(var stage, StageEvent.Ended(var result)))
                reports.addAll(orders.settle(id, stage, result, now));
        }
        reports.addAll(seen.alongside);
        outbox.record(entries, reports);
        state = decision.state();
        voice.tell(decision.events(), this::document, now);
        decision.effects().forEach(this::perform);
    }

    private void note(
            StageId stage, Map<String, String> values, List<Entry> entries, List<Report> reports) {
        var noted = new Noted(id, Notes.stage(stage), values);
        entries.add(noted);
        reports.add(Reports.stageMetadata(id, stage, notes.put(noted)));
    }

    private void perform(Effect effect) {
        switch (effect) {
            case Effect.MakePlan() -> hands.start("plan", this::plan);
            case Effect.AskGate(var stage) ->
                    hands.start(
                            "gate",
                            () ->
                                    see(
                                            new Observation.GateAnswered(
                                                    stage, world.gate().ask(sheet, stage))));
            case Effect.RunStage(var stage, _, _) -> hands.start("stage", () -> runStage(stage));
            case Effect.StopStage(var stage, var reason) -> stops.begin(stage, reason);
        }
    }

    private void plan() throws InterruptedException {
        try {
            var made = world.planning().plan(sheet);
            var seen = new Observation.PlanReady(made.plan());
            mailbox.add(new Seen(seen, List.of(), Optional.of(made.sheet())));
        } catch (Problem problem) {
            see(new Observation.PlanFailed(problem.told()));
        }
    }

    private void runStage(StageId stage) throws InterruptedException {
        stops.awaitQuiet(state.progress());
        world.gate().awaitForward(stage(stage));
        // It may have been stopped while it waited for the others.
        if (!(state.progress().stage(stage) instanceof StageState.Running)) return;
        try {
            var result = world.stages().run(document(), stage(stage));
            stops.answered(stage);
            see(new Observation.StageAnswered(stage, result));
        } catch (Problem problem) {
            see(new Observation.StageAnswered(stage, new StageResult.Failed(problem.told())));
        }
    }

    private void stopStage(StageId stage, String reason) throws InterruptedException {
        world.stages().stop(document(), stage(stage), reason);
        see(new Observation.StageStopped(stage));
    }

    /// Nothing may wait for ever because of a fault of ours.
    private void fail(String name, RuntimeException e) {
        if (name.equals("plan"))
            see(new Observation.PlanFailed("an internal fault while planning: " + e));
        if (name.equals("stage") || name.equals("gate"))
            state.progress()
                    .active()
                    .keySet()
                    .forEach(stage ->
                            see(
                                    new Observation.StageAnswered(
                                            stage,
                                            new StageResult.Failed(
                                                    "an internal fault of the agent: " + e))));
    }

    /// The public document as of now, as plugins see it.
    private Deployment document() {
        var now = sheet.toBuilder().clearStages();
        for (var stage : sheet.getStagesList()) now.addStages(stage(new StageId(stage.getId())));
        return now.build();
    }

    private PipelineStage stage(StageId stage) {
        var planned =
                planned(stage)
                        .orElseThrow(() ->
                                new IllegalStateException(
                                        "stage " + stage + " is not on the sheet of " + id));
        var where = state.progress().stages().get(stage);
        var builder = planned.toBuilder().putAllMetadata(notes.all(Notes.stage(stage)));
        if (where != null) builder.setStatus(Telling.status(where));
        return builder.build();
    }

    private Optional<PipelineStage> planned(StageId stage) {
        return sheet.getStagesList().stream()
                .filter(s -> s.getId().equals(stage.value()))
                .findFirst();
    }

    Notes notes() {
        return notes;
    }

    /// One at a time: each report carries all notes, and one that overtook a later one would undo
    /// it.
    void note(StageId stage, Map<String, String> values) {
        synchronized (notes) {
            var entries = new ArrayList<Entry>();
            var reports = new ArrayList<Report>();
            note(stage, values, entries, reports);
            recordForPlugin(entries, reports);
        }
    }

    void note(String plugin, Map<String, String> values) {
        synchronized (notes) {
            var noted = new Noted(id, Notes.plugin(plugin), values);
            recordForPlugin(
                    List.of(noted), List.of(Reports.pluginMetadata(id, plugin, notes.put(noted))));
        }
    }

    void logs(StageId stage, int retried, List<LogBlock> blocks, boolean completed) {
        if (blocks.isEmpty() && !completed) return;
        recordForPlugin(List.of(), List.of(Reports.logs(id, stage, retried, blocks, completed)));
    }

    /// A plugin comes again and again: what waits for the disk must not pile up.
    private void recordForPlugin(List<Entry> entries, List<Report> reports) {
        try {
            if (outbox.trouble().isEmpty()) {
                outbox.record(entries, reports);
                return;
            }
        } catch (JournalClosed stopped) {
            // The agent stops; the next one is asked again.
        }
        throw new Problem(
                Problem.Code.STORE_UNAVAILABLE, "the agent's journal cannot be written now", "");
    }

    String lane() {
        return Ledger.lane(id);
    }

    /// The agent stops: everything detaches; stages go on without us and are taken up again.
    void detach() {
        var walking = thread;
        if (walking != null) walking.interrupt();
        hands.interrupt();
    }

    /// Another agent goes on with it: what goes forward here must not meet that.
    void leave() throws InterruptedException {
        detach();
        for (var stage : state.progress().active().keySet()) {
            if (stage(stage).getRollback()) continue;
            try {
                world.stages().stop(document(), stage(stage), "another agent goes on with it");
            } catch (Problem notConfirmed) {
                log.warn("stage {} is not stopped: {}", stage, notConfirmed.told());
            }
        }
    }

    /// What a run needs of the rest of the agent.
    record World(
            Planning planning,
            Gate gate,
            Stages stages,
            InstantSource clock,
            Notifier notifier,
            java.util.function.Consumer<DeploymentRun> ended) {}

    private record Seen(Observation what, List<Report> alongside, Optional<Deployment> sheet) {}
}
