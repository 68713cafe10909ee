// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.google.protobuf.MessageLite;
import dev.pipecd.agent.plugin.supervise.PluginLine;
import dev.pipecd.agent.plugin.supervise.Pulse;
import dev.pipecd.domain.Problem;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls a plugin until it answers: a plugin that dies in between is waited for and asked again;
/// one that lives and says again and again that it cannot answer now is believed.
record PluginCalls(PluginLine line, Duration patience) {
    private static final Logger log = LoggerFactory.getLogger(PluginCalls.class);
    private static final int LARGEST_REQUEST = 4 << 20;
    private static final long LONGEST_PAUSE_MS = 1000;
    private static final int BELIEVED = 3;

    /// Throws the plugin's refusal as it came, and a `Problem` when the plugin cannot be reached.
    <Q extends MessageLite, A> A call(Q request, Call<A> call) throws InterruptedException {
        refuseTooLarge(request);
        var refusals = 0;
        for (var pause = 50L; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
            var channel = line.await(patience);
            try {
                return call.on(channel);
            } catch (StatusRuntimeException e) {
                // The stub answers an interrupt with CANCELLED and leaves the flag up.
                if (Thread.interrupted()) throw new InterruptedException();
                if (!brokeOff(e.getStatus())) throw e;
                // One that is there to say so was not away: those were its words.
                if (Pulse.beats(channel) && ++refusals == BELIEVED) throw e;
                log.info(
                        "call to plugin broke off and is made again name={} cause=\"{}\"",
                        line.name(),
                        e.getStatus().getDescription());
            }
            var _ = new CountDownLatch(1).await(pause, TimeUnit.MILLISECONDS);
        }
    }

    /// ABORTED: our own earlier call, whose connection broke, was still being served.
    private static boolean brokeOff(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                || status.getCode() == Status.Code.ABORTED
                // A connection that breaks while a call is being written; a plugin's own UNKNOWN
                // has no cause here.
                || (status.getCode() == Status.Code.UNKNOWN
                        && status.getCause() instanceof IOException);
    }

    private void refuseTooLarge(MessageLite request) {
        var size = request.getSerializedSize();
        if (size > LARGEST_REQUEST)
            throw new Problem(
                    Problem.Code.CONFIG_TOO_LARGE,
                    "request to plugin %s: %d bytes (expected: at most %d)"
                            .formatted(line.name(), size, LARGEST_REQUEST),
                    "Make the application's configuration file smaller.");
    }

    Problem refused(Problem.Code invalid, String advice, StatusRuntimeException e) {
        var status = e.getStatus();
        var said = String.valueOf(status.getDescription());
        return switch (status.getCode()) {
            case INVALID_ARGUMENT -> new Problem(invalid, said, advice, e);
            case DEADLINE_EXCEEDED ->
                    new Problem(
                            Problem.Code.PLUGIN_UNAVAILABLE,
                            "plugin %s: no answer in time (expected: an answer)"
                                    .formatted(line.name()),
                            "See `%s` in the agent's log.".formatted(line.logName()),
                            e);
            default ->
                    new Problem(
                            Problem.Code.PLUGIN_UNAVAILABLE,
                            "plugin %s: %s: %s (expected: an answer)"
                                    .formatted(line.name(), status.getCode(), said),
                            "See `%s` in the agent's log.".formatted(line.logName()),
                            e);
        };
    }

    interface Call<A> {
        A on(ManagedChannel channel) throws InterruptedException;
    }
}
