// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// An agent in a world of its own: virtual clock, seeded order of everything, and a crash after any
/// recorded event.
///
/// What survives a crash: the journal, and the scripts (they live in sessions of their own). What
/// does not: the state in memory, what was seen and not yet decided upon, and every hand that was
/// at work.
final class SimulatedAgent {
    private final Scenario scenario;
    private final RandomGenerator random;
    private final List<Integer> crashAfter;
    final List<DeploymentEvent> journal = new ArrayList<>();
    final Map<StageId, Script> scripts = new LinkedHashMap<>();
    private final Map<StageId, Integer> held = new HashMap<>();
    private final List<Runnable> hands = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private DeploymentState state = new DeploymentState.Pending();
    private boolean cancelled;
    int crashes;

    SimulatedAgent(Scenario scenario, RandomGenerator random, List<Integer> crashAfter) {
        this.scenario = scenario;
        this.random = random;
        this.crashAfter = new ArrayList<>(crashAfter);
    }

    /// Runs to the end; a walk that does not end within the steps is a state without an exit.
    DeploymentState run() {
        see(new Observation.TakenUp());
        for (var step = 0; step < 10_000 && !state.finished(); step++) {
            if (!cancelled && scenario.cancelAtStep() == step) {
                cancelled = true;
                see(new Observation.CancelOrdered("ann", scenario.wish()));
            } else if (!hands.isEmpty() && random.nextInt(4) > 0) {
                hands.remove(random.nextInt(hands.size())).run();
            } else {
                passTime();
            }
        }
        return state;
    }

    boolean ran(StageId stage) {
        var script = scripts.get(stage);
        return script != null && script.started;
    }

    private void see(Observation seen) {
        var decision = Engine.decide(state, seen, now);
        for (var event : decision.events()) {
            journal.add(event);
            if (crashAfter.remove((Integer) journal.size())) {
                // The rest of the batch is on the disk with it: one append is one record.
                var rest =
                        decision.events()
                                .subList(
                                        decision.events().indexOf(event) + 1,
                                        decision.events().size());
                journal.addAll(rest);
                crash();
                return;
            }
        }
        state = decision.state();
        decision.effects().forEach(this::perform);
    }

    private void crash() {
        crashes++;
        hands.clear();
        state = new DeploymentState.Pending();
        for (var event : journal) state = state.on(event);
        see(new Observation.TakenUp());
    }

    private void perform(Effect effect) {
        switch (effect) {
            case Effect.MakePlan() ->
                    hands.add(() ->
                            see(
                                    scenario.planFails()
                                            ? new Observation.PlanFailed("no such stage")
                                            : new Observation.PlanReady(scenario.plan())));
            case Effect.AskGate(var stage) ->
                    hands.add(() -> see(new Observation.GateAnswered(stage, gate(stage))));
            case Effect.RunStage(var stage, _, _) -> {
                // A hand that has not begun when the agent dies never starts the script; a new one
                // will.
                hands.add(() -> {
                    var script =
                            scripts.computeIfAbsent(
                                    stage, s -> new Script(now.plus(scenario.length(s))));
                    hands.add(() -> answer(stage, script));
                });
            }
            case Effect.StopStage(var stage, _) -> {
                if (scenario.ignoresStop()) return;
                hands.add(() -> {
                    var script = scripts.computeIfAbsent(stage, _ -> Script.neverStarted());
                    script.stop();
                    see(new Observation.StageStopped(stage));
                });
            }
        }
    }

    private GateAnswer gate(StageId stage) {
        if (held.merge(stage, 1, Integer::sum) > scenario.holds()) return new GateAnswer.Allow();
        return new GateAnswer.Hold("frozen", now.plusSeconds(30));
    }

    private void answer(StageId stage, Script script) {
        if (script.endsBy(now)) see(new Observation.StageAnswered(stage, scenario.result(stage)));
        else if (!script.stopped) hands.add(() -> answer(stage, script));
    }

    private void passTime() {
        now = now.plusSeconds(1 + random.nextInt(20));
        if (Engine.nextWake(state).filter(at -> !at.isAfter(now)).isPresent())
            see(new Observation.TimePassed());
    }

    /// What the world does in one simulated run.
    record Scenario(
            Plan plan,
            Map<StageId, StageResult> results,
            Duration shortest,
            int holds,
            int cancelAtStep,
            Observation.RollbackWish wish,
            Faults faults) {
        StageResult result(StageId stage) {
            return results.getOrDefault(stage, new StageResult.Succeeded());
        }

        Duration length(StageId stage) {
            return faults.hangs() && stage.value().endsWith("1") ? Duration.ofDays(1) : shortest;
        }

        boolean planFails() {
            return faults.planFails();
        }

        boolean ignoresStop() {
            return faults.ignoresStop();
        }
    }

    record Faults(boolean hangs, boolean planFails, boolean ignoresStop) {}

    /// A script in a session of its own: started when this is made, at most once per stage.
    static final class Script {
        final Instant endsAt;
        boolean stopped;
        final boolean started;

        private Script(Instant endsAt) {
            this(endsAt, true);
        }

        private Script(Instant endsAt, boolean started) {
            this.endsAt = endsAt;
            this.started = started;
        }

        /// Stopped before any hand began it: a later hand finds it settled.
        static Script neverStarted() {
            return new Script(Instant.MAX, false);
        }

        boolean endsBy(Instant now) {
            return !stopped && !endsAt.isAfter(now);
        }

        void stop() {
            stopped = true;
        }
    }
}
