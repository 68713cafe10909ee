// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import io.grpc.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The stages plugins are running for us, so that one can be called off where a plugin knows no
/// other way to stop.
final class RunningCalls {
    private final Map<Key, Call> calls = new ConcurrentHashMap<>();

    /// Called off, and perhaps not over yet in their plugins.
    private final Map<Key, Call> leaving = new ConcurrentHashMap<>();

    record Key(String plugin, DeploymentId deployment, StageId stage) {}

    static final class Call implements AutoCloseable {
        private final Context.CancellableContext context = Context.current().withCancellation();
        private final Runnable whenOver;
        private final Turns.Turn turn;
        private volatile @Nullable String calledOff;
        private volatile CountDownLatch over = new CountDownLatch(1);

        private Call(Runnable whenOver, Turns.Turn turn) {
            this.whenOver = whenOver;
            this.turn = turn;
        }

        Context context() {
            return context;
        }

        /// Its plugin is asked, for the first time or once more.
        void begins() {
            over = new CountDownLatch(1);
        }

        /// Nothing of it goes on in its plugin.
        void ends() {
            over.countDown();
        }

        /// Why it was called off, if it was.
        Optional<String> calledOff() {
            return Optional.ofNullable(calledOff);
        }

        @Override
        public void close() {
            whenOver.run();
            context.cancel(null);
        }
    }

    Call begin(Key key, Turns.Turn turn) {
        var call = new Call(() -> calls.remove(key), turn);
        calls.put(key, call);
        return call;
    }

    /// A stage that still waits for its turn does not begin any more.
    void withdraw(Key key, String reason) {
        var call = calls.get(key);
        if (call != null && call.turn.waits()) {
            call.calledOff = reason;
            call.turn.withdraw();
        }
    }

    /// Comes back when the stage has ended in its plugin; with false when nobody said so in this
    /// time. The call itself ends at once and tells nothing of that.
    boolean callOff(Key key, String reason, Duration within) throws InterruptedException {
        var call = calls.get(key);
        if (call == null) return true;
        leaving.put(key, call);
        try {
            call.calledOff = reason;
            call.context.cancel(null);
            return call.over.await(within.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            leaving.remove(key);
        }
    }

    /// A plugin closes the log of a stage as the last thing it does for it.
    void logClosed(DeploymentId deployment, StageId stage) {
        for (var known : List.of(calls, leaving))
            known.forEach((key, call) -> {
                if (key.deployment.equals(deployment) && key.stage.equals(stage)) call.ends();
            });
    }
}
