// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plugin.Leave;
import dev.pipecd.agent.process.ClockWatch;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.process.Mailbox;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
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
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One deployment on its walk: sees, decides, records, does. Its thread alone moves the state.
final class DeploymentRun {
    private static final Logger log = LoggerFactory.getLogger(DeploymentRun.class);

    /// When nothing waits for time it still looks around now and then.
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /// Where time alone changes nothing any more it is not looked at all the time.
    private static final Duration SHORTEST_IDLE_WAIT = Duration.ofSeconds(1);

    private static final Duration PLANNED_WITHIN = Duration.ofMinutes(30);
    private static final Duration LAST_STOPS_WITHIN = Duration.ofMinutes(1);

    private final DeploymentId id;
    private final Outbox outbox;
    private final World world;
    private final Document document;
    private final Mailbox<Seen> mailbox;
    private final Hands hands;
    private final Stops stops;
    private final Voice voice;
    private final StageOrders orders = new StageOrders();
    private final PluginNotes pluginNotes;
    private final Set<StageId> atTheGate = ConcurrentHashMap.newKeySet();
    private volatile DeploymentState state;
    private volatile @Nullable Thread thread;
    private volatile @Nullable String fault;
    private @Nullable Thread planner;
    private Duration planDue = Duration.ZERO;
    private boolean idle;
    private volatile List<Observation> atItsTurn = List.of();

    /// @param past what the journal tells of it, in order
    DeploymentRun(Deployment sheet, List<Entry> past, Outbox outbox, World world) {
        this.id = new DeploymentId(sheet.getId());
        this.document = new Document(sheet);
        this.outbox = outbox;
        this.pluginNotes = new PluginNotes(id, document.notes(), outbox);
        this.world = world;
        this.state = new DeploymentState.Pending();
        this.mailbox = new Mailbox<>(world.machine().bell());
        this.hands = new Hands(id, world.machine());
        this.voice = new Voice(world.notifier());
        this.stops = new Stops(this::stopStage, hands, world.machine().bell());
        for (var entry : past) {
            switch (entry) {
                case Moved(_, var event, var at) -> {
                    state = state.on(event);
                    if (event
                            instanceof
                            DeploymentEvent.StageMoved(var stage, StageEvent.Ended(var result)))
                        orders.settle(id, stage, result, at);
                }
                case Noted noted -> notes().put(noted);
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
        return new ApplicationId(sheet().getApplicationId());
    }

    DeploymentState state() {
        return state;
    }

    Deployment sheet() {
        return document.sheet();
    }

    StageOrders orders() {
        return orders;
    }

    /// Why it stands still, when that is a fault of ours.
    Optional<String> fault() {
        return Optional.ofNullable(fault);
    }

    boolean hasMail() {
        return !mailbox.isEmpty();
    }

    /// @param first what is seen when its turn comes: usually that it was taken up
    void awaits(List<Observation> first) {
        atItsTurn = List.copyOf(first);
    }

    void start() {
        thread = world.machine().start("deployment-" + id.brief(), this::walk);
    }

    void itsTurn() {
        atItsTurn.forEach(this::see);
    }

    void see(Observation seen) {
        mailbox.add(Seen.of(seen));
    }

    /// False when it is over and looks at nothing any more.
    ///
    /// @param alongside reports that must be recorded together with what this leads to
    /// @param tooLate what is reported instead when it ends before it has looked at this
    boolean see(Observation seen, List<Report> alongside, List<Report> tooLate) {
        return mailbox.add(new Seen(seen, alongside, tooLate, Optional.empty()));
    }

    private void walk() {
        try {
            try {
                var clock = new ClockWatch(world.machine());
                while (!state.finished()) step(next(clock));
                if (planner != null) planner.interrupt();
            } catch (InterruptedException | JournalClosed stopped) {
                throw stopped;
            } catch (Throwable e) {
                fault = "its walk broke off by a fault of the agent: " + e;
                log.error(
                        "deployment {} of {}: its walk broke off; restart the agent to go on, or cancel it to give it up",
                        id,
                        sheet().getApplicationName(),
                        e);
                awaitGivingUp();
            }
            var late = mailbox.close().stream().flatMap(seen -> seen.tooLate.stream()).toList();
            outbox.record(List.of(), late);
            // The next deployment of the application should not meet what is left of this one.
            var _ = stops.quiet(state.progress(), LAST_STOPS_WITHIN);
            hands.over(() -> world.stages().release(sheet()));
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
            } catch (Throwable e) {
                log.error(
                        "deployment {}: not given up; cancel it again, or restart the agent",
                        id,
                        e);
            }
        }
    }

    private void giveUp(String person, List<Report> alongside) {
        var now = world.machine().instant();
        var lost =
                new DeploymentEvent.Ended(
                        new Outcome.Lost("given up by %s: %s".formatted(person, fault)));
        var speaks = world.turns().speaks(this);
        var minutes = new Minutes();
        take(lost, state, speaks, now, minutes);
        minutes.reports().addAll(alongside);
        // Once it is recorded as ended, nobody would stop them after a crash.
        state.progress().active().keySet().forEach(stage -> stops.begin(stage, "given up"));
        outbox.record(minutes.entries(), minutes.reports());
        state = state.on(lost);
        voice.tell(List.of(lost), this::shown, speaks, now);
    }

    private Seen next(ClockWatch clock) throws InterruptedException {
        var seen = mailbox.poll(untilNextLook());
        world.gate().awaitAwake();
        var by = clock.jumped();
        if (!by.isZero()) step(Seen.of(new Observation.ClockJumped(by)));
        return seen.orElseGet(() -> Seen.of(timePassed()));
    }

    private Duration untilNextLook() {
        var wait = LONGEST_WAIT;
        var wake = Engine.nextWake(state);
        if (wake.isPresent()) {
            // A millisecond more: who wakes a little early would look twice.
            var due = Duration.between(world.machine().instant(), wake.get()).plusMillis(1);
            if (due.compareTo(wait) < 0) wait = due;
        }
        var shortest = idle ? SHORTEST_IDLE_WAIT : Duration.ZERO;
        return wait.compareTo(shortest) < 0 ? shortest : wait;
    }

    private Observation timePassed() {
        if (!(state instanceof DeploymentState.Pending)
                || planner == null
                || world.machine().uptime().compareTo(planDue) < 0)
            return new Observation.TimePassed();
        return new Observation.Withdrawn(
                new Outcome.TimedOut(
                        "planning took longer than %dm".formatted(PLANNED_WITHIN.toMinutes())));
    }

    private void step(Seen seen) {
        var now = world.machine().instant();
        var decision = Engine.decide(state, seen.what, now);
        var speaks = world.turns().speaks(this);
        var minutes = new Minutes();
        if (seen.sheet.isPresent() && !decision.events().isEmpty()) {
            document.planned(seen.sheet.get());
            minutes.entries().add(new Sheet(id, sheet().toByteArray()));
        }
        for (var event : decision.events()) take(event, decision.state(), speaks, now, minutes);
        minutes.reports().addAll(seen.alongside);
        outbox.record(minutes.entries(), minutes.reports());
        state = decision.state();
        idle = decision.events().isEmpty();
        if (!idle) world.turns().moved(this);
        voice.tell(decision.events(), this::shown, speaks, now);
        decision.effects().forEach(this::perform);
    }

    private void take(
            DeploymentEvent event,
            DeploymentState after,
            boolean speaks,
            Instant now,
            Minutes minutes) {
        minutes.take(event, after.progress(), sheet(), pluginNotes, orders, speaks, now);
    }

    private void perform(Effect effect) {
        switch (effect) {
            case Effect.MakePlan() -> {
                planDue = world.machine().uptime().plus(PLANNED_WITHIN);
                planner =
                        hands.start(
                                "plan",
                                this::plan,
                                e -> see(new Observation.PlanFailed(Hands.told(e))));
            }
            case Effect.AskGate(var stage) -> {
                // One question at a time: it may take longer than the next look at the clock.
                if (atTheGate.add(stage))
                    hands.start(
                            "gate",
                            () -> askGate(stage),
                            e -> passed(stage, new GateAnswer.Refuse(Hands.told(e))));
            }
            case Effect.RunStage(var stage, _, _) ->
                    hands.start(
                            "stage",
                            () -> runStage(stage),
                            e -> answered(stage, new StageResult.Failed(Hands.told(e))));
            case Effect.StopStage(var stage, var reason) -> stops.begin(stage, reason);
        }
    }

    /// What this change does not need is not held up either.
    private void askGate(StageId stage) {
        var unneeded = world.stages().unneeded(shown(), stage(stage));
        passed(
                stage,
                unneeded.isPresent()
                        ? new GateAnswer.Skip(unneeded.get())
                        : world.gate().ask(sheet(), stage));
    }

    private void passed(StageId stage, GateAnswer answer) {
        atTheGate.remove(stage);
        see(new Observation.GateAnswered(stage, answer));
    }

    private void answered(StageId stage, StageResult result) {
        see(new Observation.StageAnswered(stage, result));
    }

    private void plan() throws InterruptedException {
        var made = world.planning().plan(sheet());
        var seen = new Observation.PlanReady(made.plan());
        mailbox.add(new Seen(seen, List.of(), List.of(), Optional.of(made.sheet())));
    }

    private void runStage(StageId stage) throws InterruptedException {
        stops.awaitQuiet(state.progress());
        if (!maySetOut(stage)) return;
        var leave = new Leave(() -> maySetOut(stage), () -> world.gate().isForward(stage(stage)));
        var result = world.stages().run(shown(), stage(stage), leave);
        stops.answered(stage);
        answered(stage, result);
    }

    /// False when it was stopped while it waited.
    private boolean maySetOut(StageId stage) throws InterruptedException {
        world.gate().awaitForward(stage(stage));
        return state.progress().stage(stage) instanceof StageState.Running;
    }

    private void stopStage(StageId stage, String reason) throws InterruptedException {
        world.stages().stop(shown(), stage(stage), reason);
        see(new Observation.StageStopped(stage));
    }

    private Deployment shown() {
        return document.at(state.progress());
    }

    private PipelineStage stage(StageId stage) {
        return document.stage(stage, state.progress());
    }

    Notes notes() {
        return document.notes();
    }

    PluginNotes pluginNotes() {
        return pluginNotes;
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
        for (var stage : state.progress().active().keySet())
            if (!stage(stage).getRollback()) stops.once(stage, "another agent goes on with it");
    }

    /// What a run needs of the rest of the agent.
    record World(
            Planning planning,
            Gate gate,
            Stages stages,
            Machine machine,
            Notifier notifier,
            Turns turns,
            java.util.function.Consumer<DeploymentRun> ended) {}

    private record Seen(
            Observation what,
            List<Report> alongside,
            List<Report> tooLate,
            Optional<Deployment> sheet) {
        static Seen of(Observation what) {
            return new Seen(what, List.of(), List.of(), Optional.empty());
        }
    }
}
