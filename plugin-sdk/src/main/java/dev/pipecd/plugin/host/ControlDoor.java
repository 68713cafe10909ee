// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.wire.plugin.control.StageControlGrpc;
import dev.pipecd.wire.plugin.control.StopRequest;
import dev.pipecd.wire.plugin.control.StopResponse;
import io.grpc.stub.StreamObserver;

/// The stop button: a stage ends because the agent says so in words, not because a connection
/// broke.
final class ControlDoor extends StageControlGrpc.StageControlImplBase {
    private final StageCalls calls;

    ControlDoor(StageCalls calls) {
        this.calls = calls;
    }

    @Override
    public void stop(StopRequest request, StreamObserver<StopResponse> answer) {
        try {
            calls.stop(
                    new StageKey(request.getDeploymentId(), request.getStageId()),
                    request.getReason().isEmpty() ? "the agent says so" : request.getReason());
            answer.onNext(StopResponse.getDefaultInstance());
            answer.onCompleted();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
