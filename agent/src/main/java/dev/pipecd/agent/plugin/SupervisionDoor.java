// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.plugin.supervision.PingRequest;
import dev.pipecd.wire.plugin.supervision.PingResponse;
import dev.pipecd.wire.plugin.supervision.ReadyRequest;
import dev.pipecd.wire.plugin.supervision.ReadyResponse;
import dev.pipecd.wire.plugin.supervision.SupervisionServiceGrpc;
import io.grpc.stub.StreamObserver;

/// Hears the host's signs of life.
final class SupervisionDoor extends SupervisionServiceGrpc.SupervisionServiceImplBase {
    private final Listener listener;

    SupervisionDoor(Listener listener) {
        this.listener = listener;
    }

    @Override
    public void ready(ReadyRequest request, StreamObserver<ReadyResponse> answer) {
        listener.ready(request.getPluginName(), request.getPluginVersion(), request.getPort());
        answer.onNext(ReadyResponse.getDefaultInstance());
        answer.onCompleted();
    }

    @Override
    public void ping(PingRequest request, StreamObserver<PingResponse> answer) {
        listener.ping();
        answer.onNext(PingResponse.getDefaultInstance());
        answer.onCompleted();
    }

    /// Who wants to know.
    interface Listener {
        void ready(String plugin, String version, int port);

        void ping();
    }
}
