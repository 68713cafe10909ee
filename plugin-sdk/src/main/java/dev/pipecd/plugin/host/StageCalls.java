// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.plugin.stage.LeftBehind;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The stages at work for one plugin: each at most once, whoever calls how often.
final class StageCalls {
    /// Longer than a script's grace and its kill.
    private static final Duration STOPPED_WITHIN = Duration.ofSeconds(30);

    private static final Duration SWEPT_EVERY = Duration.ofHours(1);

    private final StageEdge edge;
    private final LeftBehind leftBehind;
    private final Map<StageKey, StageCall> running = new HashMap<>();
    private boolean leaving;
    private Instant swept;

    StageCalls(StageEdge edge, LeftBehind leftBehind) {
        this.edge = edge;
        this.leftBehind = leftBehind;
        this.swept = edge.clock().instant();
    }

    void execute(Stage<?> stage, ExecutePluginInput input, Caller caller)
            throws InterruptedException {
        var call = new StageCall(stage, input, edge, caller, this::over);
        // Ids that are no file names are refused before anything is begun.
        edge.state().of(call.key());
        for (var other = begin(call); other.isPresent(); other = begin(call)) {
            if (other.get().attach(caller)) return;
            if (!other.get().awaitEnd(STOPPED_WITHIN)) {
                caller.refuse(
                        Status.UNAVAILABLE.withDescription(
                                "an earlier call for this stage does not end"));
                return;
            }
        }
        call.start();
    }

    /// Empty: the call is the only one for its stage. Otherwise the one that is in its way.
    private synchronized Optional<StageCall> begin(StageCall call) {
        if (leaving)
            throw Status.UNAVAILABLE.withDescription("the plugin host stops").asRuntimeException();
        return Optional.ofNullable(running.putIfAbsent(call.key(), call));
    }

    private synchronized void over(StageCall call) {
        running.remove(call.key(), call);
        var now = edge.clock().instant();
        if (now.isBefore(swept.plus(SWEPT_EVERY))) return;
        swept = now;
        // Not on the thread of the stage: a call that waits for its end would wait for this.
        Thread.ofVirtual().name("sweep").start(this::sweep);
    }

    /// Removes the directories of stages that ended a week ago; an agent may be up for months.
    void sweep() {
        var now = edge.clock().instant();
        edge.state().outlived(now).forEach(this::sweep);
    }

    /// A deployment with a stage at work is left alone: that stage may be one of those that ended
    /// before. No call begins meanwhile.
    private synchronized void sweep(Path stage) {
        var deployment = StateDirectory.deployment(stage);
        if (running.keySet().stream().noneMatch(key -> key.deployment().equals(deployment)))
            edge.state().remove(stage);
    }

    /// Comes back when the stage has ended and nothing of it is left, also if an earlier host began
    /// it.
    void stop(StageKey key, String reason) throws InterruptedException {
        var directory = edge.state().of(key);
        Optional<StageCall> call;
        synchronized (this) {
            call = Optional.ofNullable(running.get(key));
        }
        if (call.isPresent()) {
            call.get().order(reason);
            if (!call.get().awaitEnd(STOPPED_WITHIN))
                throw Status.DEADLINE_EXCEEDED
                        .withDescription("the stage does not end")
                        .asRuntimeException();
        }
        // Also after a call that ended: it may have been letting go when the order came.
        synchronized (this) {
            edge.state().create(key);
        }
        leftBehind.end(directory);
        edge.state().ended(key, edge.clock().instant());
    }

    /// Lets every stage go without ending what it started; the next host carries on.
    void leave(Duration bound) throws InterruptedException {
        List<StageCall> calls;
        synchronized (this) {
            leaving = true;
            calls = List.copyOf(running.values());
        }
        calls.forEach(StageCall::leave);
        for (var call : calls) {
            var _ = call.awaitEnd(bound);
        }
    }
}
