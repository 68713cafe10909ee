// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import io.grpc.Context;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The stages plugins are running for us, so that one can be called off where a plugin knows no
/// other way to stop.
final class RunningCalls {
    private final Map<Key, Call> calls = new ConcurrentHashMap<>();

    record Key(String plugin, DeploymentId deployment, StageId stage) {}

    static final class Call implements AutoCloseable {
        private final Context.CancellableContext context = Context.current().withCancellation();
        private final Runnable whenOver;
        private final Turns.Turn turn;
        private volatile @Nullable String calledOff;

        private Call(Runnable whenOver, Turns.Turn turn) {
            this.whenOver = whenOver;
            this.turn = turn;
        }

        Context context() {
            return context;
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

    void callOff(Key key, String reason) {
        var call = calls.get(key);
        if (call == null) return;
        call.calledOff = reason;
        call.context.cancel(null);
    }
}
