// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentEvent.StageMoved;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.IllegalTransition;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.Progress;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;

/// A stored deployment as a state of the diagram, moved along its arrows. The wire has fewer states
/// than the diagram; where it cannot tell, the arrows between are walked.
final class Walk {
    private static final Set<String> OLD_ROLLBACK_NAMES =
            Set.of("ROLLBACK", "SCRIPT_RUN_ROLLBACK", "CUSTOM_SYNC_ROLLBACK");
    private static final Duration LIMIT = Duration.ofDays(36_500); // the agent keeps the real one
    private static final String LOST = new Outcome.Lost("").told();

    private DeploymentState state;

    private Walk(DeploymentState state) {
        this.state = state;
    }

    static boolean isLost(Deployment stored) {
        return state(stored) instanceof DeploymentState.Finished(Outcome.Lost _, _);
    }

    static Walk from(Deployment stored) {
        return new Walk(state(stored));
    }

    /// Refuses what has no arrow.
    Walk on(DeploymentEvent event) {
        try {
            state = state.on(event);
            return this;
        } catch (IllegalTransition e) {
            throw refused(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    String.valueOf(e.getMessage()),
                    "Report only stages of the plan.");
        }
    }

    static Problem refused(String why) {
        return new Problem(
                Problem.Code.TRANSITION_REFUSED,
                why,
                "The deployment has moved on or ended; read it again.");
    }

    DeploymentState state() {
        return state;
    }

    /// A plan that was made is begun: an agent that reports work has begun.
    Walk begun() {
        if (state instanceof DeploymentState.Planned)
            on(new DeploymentEvent.Began(Instant.EPOCH, Instant.MAX));
        return this;
    }

    /// Halted, with everything that was active stopped.
    Walk halted(Cause cause) {
        if (state instanceof DeploymentState.Running)
            on(new DeploymentEvent.HaltOrdered(cause, true));
        if (state instanceof DeploymentState.Halting(_, var progress, _, _)) stop(progress, cause);
        if (state instanceof DeploymentState.RollingBack(_, var progress, _, _))
            stop(progress, cause);
        return this;
    }

    private void stop(Progress progress, Cause cause) {
        progress.active()
                .keySet()
                .forEach(stage ->
                        on(new StageMoved(stage, new StageEvent.Ended(cause.stopped("")))));
    }

    /// Moves a stage to where its agent says it stands, starting it on the way if need be.
    Walk stage(StageId id, StageStatus status, String reason, Instant now) {
        var stage = progress().stage(id);
        switch (status) {
            case STAGE_NOT_STARTED_YET ->
                    on(new StageMoved(id, new StageEvent.HeldBack(reason, Instant.MAX)));
            case STAGE_RUNNING -> on(new StageMoved(id, new StageEvent.Started(now, Instant.MAX)));
            default -> {
                var result = result(status, reason);
                if (!stage.active() && !stage.ended() && !result.possibleBeforeStart())
                    on(new StageMoved(id, new StageEvent.Started(now, Instant.MAX)));
                on(new StageMoved(id, new StageEvent.Ended(result)));
            }
        }
        return this;
    }

    Progress progress() {
        return switch (state) {
            case DeploymentState.Pending() -> Progress.NONE;
            case DeploymentState.Planned(var plan) -> Progress.of(plan);
            case DeploymentState.Running(_, var progress, _) -> progress;
            case DeploymentState.Halting(_, var progress, _, _) -> progress;
            case DeploymentState.RollingBack(_, var progress, _, _) -> progress;
            case DeploymentState.AbortingRollback(_, var progress, _, _) -> progress;
            case DeploymentState.Finished(_, var progress) -> progress;
        };
    }

    private static DeploymentState state(Deployment stored) {
        return switch (stored.getStatus()) {
            case DEPLOYMENT_PENDING, UNRECOGNIZED -> new DeploymentState.Pending();
            case DEPLOYMENT_PLANNED -> new DeploymentState.Planned(plan(stored.getStagesList()));
            case DEPLOYMENT_RUNNING ->
                    new DeploymentState.Running(
                            plan(stored.getStagesList()), progress(stored), Instant.MAX);
            case DEPLOYMENT_ROLLING_BACK ->
                    new DeploymentState.RollingBack(
                            plan(stored.getStagesList()),
                            progress(stored),
                            new Cause.StageFailed(stored.getStatusReason()),
                            Instant.MAX);
            case DEPLOYMENT_SUCCESS, DEPLOYMENT_FAILURE, DEPLOYMENT_CANCELLED ->
                    new DeploymentState.Finished(outcome(stored), progress(stored));
        };
    }

    /// Classic agents give all rollback stages of scripts one id, and tell of them as of one.
    static Plan plan(List<PipelineStage> stages) {
        var undoing = new HashSet<String>();
        try {
            return new Plan(
                    stages.stream()
                            .filter(s -> !rollback(s) || undoing.add(s.getId()))
                            .map(s ->
                                    new PlannedStage(
                                            new StageId(s.getId()),
                                            s.getName(),
                                            rollback(s),
                                            LIMIT))
                            .toList(),
                    LIMIT,
                    true);
        } catch (IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    String.valueOf(e.getMessage()),
                    "Give every stage an id of its own.");
        }
    }

    static boolean rollback(PipelineStage stage) {
        return stage.getRollback() || OLD_ROLLBACK_NAMES.contains(stage.getName());
    }

    private static Progress progress(Deployment stored) {
        var stages = new LinkedHashMap<StageId, StageState>();
        for (var stage : stored.getStagesList())
            stages.putIfAbsent(
                    new StageId(stage.getId()),
                    switch (stage.getStatus()) {
                        case STAGE_NOT_STARTED_YET, UNRECOGNIZED -> new StageState.NotStarted();
                        case STAGE_RUNNING -> new StageState.Running(Instant.EPOCH, Instant.MAX);
                        default ->
                                new StageState.Done(
                                        result(stage.getStatus(), stage.getStatusReason()));
                    });
        return new Progress(stages);
    }

    private static StageResult result(StageStatus status, String reason) {
        return switch (status) {
            case STAGE_SUCCESS -> new StageResult.Succeeded();
            case STAGE_FAILURE -> new StageResult.Failed(reason);
            case STAGE_CANCELLED -> new StageResult.Cancelled(reason);
            case STAGE_SKIPPED -> new StageResult.Skipped(reason);
            case STAGE_EXITED -> new StageResult.Exited(reason);
            case STAGE_NOT_STARTED_YET, STAGE_RUNNING, UNRECOGNIZED ->
                    throw new IllegalArgumentException("status: " + status + " (expected: an end)");
        };
    }

    private static Outcome outcome(Deployment stored) {
        return switch (stored.getStatus()) {
            case DEPLOYMENT_SUCCESS -> new Outcome.Succeeded();
            case DEPLOYMENT_CANCELLED -> new Outcome.Cancelled(stored.getStatusReason());
            default ->
                    stored.getStatusReason().startsWith(LOST)
                            ? new Outcome.Lost(stored.getStatusReason())
                            : new Outcome.Failed(stored.getStatusReason());
        };
    }

    /// How the stage stands on the wire after the walk.
    static StageStatus status(StageState state) {
        return switch (state) {
            case StageState.NotStarted _, StageState.Waiting _ -> StageStatus.STAGE_NOT_STARTED_YET;
            case StageState.Running _, StageState.Stopping _ -> StageStatus.STAGE_RUNNING;
            case StageState.Done(var result) ->
                    switch (result) {
                        case StageResult.Succeeded _ -> StageStatus.STAGE_SUCCESS;
                        case StageResult.Failed _, StageResult.TimedOut _ ->
                                StageStatus.STAGE_FAILURE;
                        case StageResult.Cancelled _ -> StageStatus.STAGE_CANCELLED;
                        case StageResult.Skipped _ -> StageStatus.STAGE_SKIPPED;
                        case StageResult.Exited _ -> StageStatus.STAGE_EXITED;
                    };
        };
    }

    /// How the deployment stands on the wire after the walk.
    DeploymentStatus status() {
        return switch (state) {
            case DeploymentState.Pending _ -> DeploymentStatus.DEPLOYMENT_PENDING;
            case DeploymentState.Planned _ -> DeploymentStatus.DEPLOYMENT_PLANNED;
            case DeploymentState.Running _, DeploymentState.Halting _ ->
                    DeploymentStatus.DEPLOYMENT_RUNNING;
            case DeploymentState.RollingBack _, DeploymentState.AbortingRollback _ ->
                    DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
            case DeploymentState.Finished(var outcome, _) ->
                    switch (outcome.status()) {
                        case SUCCESS -> DeploymentStatus.DEPLOYMENT_SUCCESS;
                        case FAILURE -> DeploymentStatus.DEPLOYMENT_FAILURE;
                        case CANCELLED -> DeploymentStatus.DEPLOYMENT_CANCELLED;
                    };
        };
    }
}
