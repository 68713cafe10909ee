// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import org.jspecify.annotations.Nullable;

/// The agent's end of one ExecuteStage call.
final class Caller {
    /// Set by agents that order a stop in words: a call of theirs that breaks off is only a lost
    /// connection.
    static final Metadata.Key<String> EXPLICIT_STOP =
            Metadata.Key.of("pipecd-explicit-stop", Metadata.ASCII_STRING_MARSHALLER);

    static final Context.Key<Boolean> STOPS_EXPLICITLY =
            Context.keyWithDefault("pipecd-explicit-stop", false);

    private final ServerCallStreamObserver<ExecuteStageResponse> call;
    private final boolean stopsExplicitly;
    private @Nullable StageCall serving;
    private boolean gone;

    Caller(ServerCallStreamObserver<ExecuteStageResponse> call, boolean stopsExplicitly) {
        this.call = call;
        this.stopsExplicitly = stopsExplicitly;
        call.setOnCancelHandler(this::brokeOff);
    }

    boolean stopsExplicitly() {
        return stopsExplicitly;
    }

    private void brokeOff() {
        StageCall left;
        synchronized (this) {
            gone = true;
            left = serving;
        }
        if (left != null) left.callerGone(this);
    }

    /// Told outside the lock: the stage's own lock is taken then.
    void servedBy(StageCall stage) {
        boolean already;
        synchronized (this) {
            serving = stage;
            already = gone;
        }
        if (already) stage.callerGone(this);
    }

    void answer(ExecuteStageResponse response) {
        call.onNext(response);
        call.onCompleted();
    }

    void refuse(Status status) {
        call.onError(status.asRuntimeException());
    }
}
