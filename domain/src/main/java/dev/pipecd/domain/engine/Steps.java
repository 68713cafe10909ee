// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.DeploymentState.AbortingRollback;
import dev.pipecd.domain.deployment.DeploymentState.Finished;
import dev.pipecd.domain.deployment.DeploymentState.Halting;
import dev.pipecd.domain.deployment.DeploymentState.Pending;
import dev.pipecd.domain.deployment.DeploymentState.Planned;
import dev.pipecd.domain.deployment.DeploymentState.RollingBack;
import dev.pipecd.domain.deployment.DeploymentState.Running;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The steps a decision is made of: events, each moving the state, and the effects they ask for.
final class Steps {
    private final Instant now;
    private final List<DeploymentEvent> events = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private DeploymentState state;

    Steps(DeploymentState state, Instant now) {
        this.state = state;
        this.now = now;
    }

    Decision decision() {
        return new Decision(state, events, effects);
    }

    DeploymentState state() {
        return state;
    }

    /// How many events there are so far.
    int recorded() {
        return events.size();
    }

    void record(DeploymentEvent event) {
        state = state.on(event);
        events.add(event);
    }

    void move(StageId stage, StageEvent event) {
        record(new DeploymentEvent.StageMoved(stage, event));
    }

    void ask(Effect effect) {
        effects.add(effect);
    }

    boolean active(StageId stage) {
        return state.progress().stage(stage).active();
    }

    void stopActive(Cause cause) {
        state.progress().active().keySet().forEach(stage -> stop(stage, cause));
    }

    void stop(StageId stage, Cause cause) {
        if (!(state.progress().stage(stage) instanceof StageState.Running)) return;
        move(stage, new StageEvent.StopOrdered(cause, now.plus(Engine.STOP_GRACE)));
        effects.add(new Effect.StopStage(stage, cause.told()));
    }

    void start(PlannedStage stage, Instant noLaterThan) {
        var deadline = now.plus(stage.limit());
        if (deadline.isAfter(noLaterThan)) deadline = noLaterThan;
        move(stage.id(), new StageEvent.Started(now, deadline));
        effects.add(new Effect.RunStage(stage.id(), now, deadline));
    }

    /// Asks whether the stages that are due may start, or ends when there is nothing left.
    void goOn() {
        var due = due();
        due.forEach(stage -> effects.add(new Effect.AskGate(stage.id())));
        if (due.isEmpty() && !state.progress().anyActive())
            record(new DeploymentEvent.Ended(atTheEnd()));
    }

    private Outcome atTheEnd() {
        return state instanceof RollingBack(var plan, var progress, var cause, _)
                ? new Undoing(plan, progress, cause).completed()
                : new Outcome.Succeeded();
    }

    /// One after another; only here is that decided.
    List<PlannedStage> due() {
        if (state.progress().anyActive() || exited()) return List.of();
        return stages().stream()
                .filter(s -> !state.progress().stage(s.id()).ended())
                .limit(1)
                .toList();
    }

    private List<PlannedStage> stages() {
        return switch (state) {
            case Running(var plan, _, _) -> plan.forward();
            case RollingBack(var plan, _, _, _) -> plan.rollback();
            case Pending _, Planned _, Halting _, AbortingRollback _, Finished _ -> List.of();
        };
    }

    /// A stage said that the rest of the pipeline is not needed.
    private boolean exited() {
        return state instanceof Running(_, var progress, _)
                && progress.stages().values().stream()
                        .anyMatch(s -> s instanceof StageState.Done(StageResult.Exited _));
    }

    /// After a restart: go on with what was begun, stop again what was stopping, ask again for what
    /// was due.
    void takeUpStages() {
        for (var entry : state.progress().active().entrySet()) {
            switch (entry.getValue()) {
                case StageState.Running(var at, var deadline) ->
                        effects.add(new Effect.RunStage(entry.getKey(), at, deadline));
                case StageState.Stopping(_, var cause, _) ->
                        effects.add(new Effect.StopStage(entry.getKey(), cause.told()));
                case StageState.NotStarted(), StageState.Waiting _, StageState.Done _ -> {}
            }
        }
        if (state instanceof Running || state instanceof RollingBack) goOn();
    }
}
