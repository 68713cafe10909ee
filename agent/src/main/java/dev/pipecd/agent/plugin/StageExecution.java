// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.agent.plugin.callback.Callbacks;
import dev.pipecd.agent.plugin.supervise.Pulse;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.plugin.control.StageControlGrpc;
import dev.pipecd.wire.plugin.control.StopRequest;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs and stops stages in plugins: each when it is its turn, again when its plugin died and the
/// stage can carry on.
final class StageExecution implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StageExecution.class);

    /// Longer than a script gets to end by itself, and to be killed.
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(15);

    /// Longer than any pause between restarts; a plugin given up on ends the wait before.
    private static final Duration BACK_WITHIN = Duration.ofMinutes(5);

    /// In this time a plugin that is ending has stopped answering.
    private static final Duration LEAVES_WITHIN = Duration.ofMillis(200);

    private final RunningCalls running = new RunningCalls();
    private final Crew crew;
    private final Turns turns;
    private final Callbacks callbacks;
    private volatile boolean closing;

    StageExecution(Crew crew, Turns turns, Callbacks callbacks) {
        this.crew = crew;
        this.turns = turns;
        this.callbacks = callbacks;
    }

    StageAnswer run(String plugin, ExecuteStageRequest request, BeginMark mark, Leave leave)
            throws InterruptedException {
        while (true) {
            // Not when it has its turn: a rollback may need that place.
            leave.await();
            var answer = attempt(plugin, request, mark, leave);
            if (answer.isPresent()) return answer.get();
        }
    }

    /// Nothing when it may not set out any more now that all it needs is there.
    private Optional<StageAnswer> attempt(
            String plugin, ExecuteStageRequest request, BeginMark mark, Leave leave)
            throws InterruptedException {
        var stage = request.getInput().getStage();
        var once = BeginMark.isNeeded(stage.getName(), crew.carriesOn(plugin));
        var calls = new PluginCalls(crew.line(plugin), BACK_WITHIN);
        var key =
                new RunningCalls.Key(
                        plugin,
                        new DeploymentId(request.getInput().getDeployment().getId()),
                        new StageId(stage.getId()));
        try (var turn = turn(plugin, stage);
                var call = running.begin(key, turn)) {
            if (turn.waits()) tellThatItWaits(key, stage);
            if (!turn.await())
                return Optional.of(new StageAnswer.Stopped(call.calledOff().orElse("")));
            var begun = new AtomicBoolean();
            var response =
                    calls.call(
                            request,
                            channel -> {
                                if (!begun.get() && !leave.isGiven())
                                    return Optional.<ExecuteStageResponse>empty();
                                begun.set(true);
                                if (once) mark.make(stage.getName(), plugin);
                                return Optional.of(execute(channel, request, call));
                            });
            return response.map(StageExecution::answer);
        } catch (StatusRuntimeException e) {
            return Optional.of(
                    new StageAnswer.Failed("plugin %s: %s".formatted(plugin, said(e.getStatus()))));
        }
    }

    private Turns.Turn turn(String plugin, PipelineStage stage) {
        return Plugins.onlyWaits(stage.getName())
                ? turns.pass(plugin)
                : turns.take(plugin, stage.getRollback());
    }

    /// Nothing waits silently. The line stands before the first one of the stage itself, whose
    /// numbers begin with the second of its start.
    private void tellThatItWaits(RunningCalls.Key key, PipelineStage stage) {
        var text =
                "Waits for its turn: plugin %s runs %d stage(s) now"
                        .formatted(key.plugin(), turns.running(key.plugin()));
        log.info("deployment {}: {}: {}", key.deployment().brief(), stage.getName(), text);
        var started = stage.getMetadataMap().get("pipecd/started-at");
        if (started == null) return;
        var second = Instant.parse(started).getEpochSecond();
        var line = LogBlock.newBuilder().setIndex(second - 1).setLog(text).setCreatedAt(second);
        try {
            callbacks.stageLogs(
                    key.deployment(),
                    key.stage(),
                    stage.getRetriedCount(),
                    List.of(line.build()),
                    false);
        } catch (Problem notTaken) {
            log.debug("the line is not taken", notTaken);
        }
    }

    private ExecuteStageResponse execute(
            ManagedChannel channel, ExecuteStageRequest request, RunningCalls.Call call)
            throws InterruptedException {
        ExecuteStageResponse response;
        var before = call.context().attach();
        try {
            call.begins();
            response = DeploymentServiceGrpc.newBlockingStub(channel).executeStage(request);
            call.ends();
        } catch (StatusRuntimeException e) {
            return stoppedOrThrow(call, e);
        } finally {
            call.context().detach(before);
        }
        if (response.getStatus() == StageStatus.STAGE_FAILURE) disbelieveOneThatLeaves(channel);
        return response;
    }

    /// A public plugin that is told to end fails its stages on the way out; they go on in the next
    /// one.
    private void disbelieveOneThatLeaves(ManagedChannel channel) throws InterruptedException {
        if (closing) throw new InterruptedException("the agent stops");
        var _ = new CountDownLatch(1).await(LEAVES_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        if (!Pulse.beats(channel))
            throw Status.UNAVAILABLE.withDescription("the plugin ends").asRuntimeException();
    }

    private static ExecuteStageResponse stoppedOrThrow(
            RunningCalls.Call call, StatusRuntimeException e) {
        var reason = call.calledOff();
        if (reason.isEmpty()) {
            call.ends();
            throw e;
        }
        return ExecuteStageResponse.newBuilder()
                .setStatus(StageStatus.STAGE_CANCELLED)
                .setMessage(reason.get())
                .build();
    }

    private static StageAnswer answer(ExecuteStageResponse response) {
        var reason = response.getMessage();
        return switch (response.getStatus()) {
            case STAGE_SUCCESS -> new StageAnswer.Succeeded();
            case STAGE_SKIPPED -> new StageAnswer.Skipped(reason);
            case STAGE_EXITED -> new StageAnswer.Exited(reason);
            case STAGE_CANCELLED -> new StageAnswer.Stopped(reason);
            case STAGE_FAILURE ->
                    new StageAnswer.Failed(reason.isEmpty() ? "the plugin gave no reason" : reason);
            case STAGE_NOT_STARTED_YET, STAGE_RUNNING, UNRECOGNIZED ->
                    new StageAnswer.Failed(
                            "the plugin answered %s (expected: how the stage ended)"
                                    .formatted(response.getStatus()));
        };
    }

    private static String said(Status status) {
        var description = status.getDescription();
        return description == null ? status.getCode().toString() : description;
    }

    void stop(RunningCalls.Key key, String reason) throws InterruptedException {
        var request =
                StopRequest.newBuilder()
                        .setDeploymentId(key.deployment().value())
                        .setStageId(key.stage().value())
                        .setReason(reason)
                        .build();
        running.withdraw(key, reason);
        var calls = new PluginCalls(crew.line(key.plugin()), STOPPED_WITHIN);
        try {
            calls.call(
                    request,
                    channel ->
                            StageControlGrpc.newBlockingStub(channel)
                                    .withDeadlineAfter(STOPPED_WITHIN)
                                    .stop(request));
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.UNIMPLEMENTED)
                throw calls.refused(Problem.Code.REQUEST_INVALID, "", e);
            callOff(key, reason);
        }
    }

    /// A plugin of somebody else has no stop button. Its stage may still be busy when our call has
    /// ended, and must not meet the rollback.
    private void callOff(RunningCalls.Key key, String reason) throws InterruptedException {
        if (!running.callOff(key, reason, STOPPED_WITHIN))
            log.warn(
                    "deployment {}: plugin {} does not say that stage {} ended within {} s of its cancel; what comes next is begun. Look at the target.",
                    key.deployment().brief(),
                    key.plugin(),
                    key.stage(),
                    STOPPED_WITHIN.toSeconds());
    }

    void logClosed(DeploymentId deployment, StageId stage) {
        running.logClosed(deployment, stage);
    }

    /// From now on plugins are told to end, and failures are their way out.
    @Override
    public void close() {
        closing = true;
    }
}
