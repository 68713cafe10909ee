// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.callback;

import dev.pipecd.wire.plugin.supervision.NotOfferedRequest;
import dev.pipecd.wire.plugin.supervision.NotOfferedResponse;
import dev.pipecd.wire.plugin.supervision.PingRequest;
import dev.pipecd.wire.plugin.supervision.PingResponse;
import dev.pipecd.wire.plugin.supervision.ReadyRequest;
import dev.pipecd.wire.plugin.supervision.ReadyResponse;
import dev.pipecd.wire.plugin.supervision.SourceUse;
import dev.pipecd.wire.plugin.supervision.SupervisionServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;

/// Hears the signs of life plugins give by themselves.
public final class SupervisionDoor extends SupervisionServiceGrpc.SupervisionServiceImplBase {
    private final Listener listener;

    public SupervisionDoor(Listener listener) {
        this.listener = listener;
    }

    @Override
    public void ready(ReadyRequest request, StreamObserver<ReadyResponse> answer) {
        listener.ready(
                request.getPluginName(),
                request.getPluginVersion(),
                request.getPort(),
                request.getMistakesList(),
                request.getSourceUseMap());
        answer.onNext(ReadyResponse.getDefaultInstance());
        answer.onCompleted();
    }

    @Override
    public void ping(PingRequest request, StreamObserver<PingResponse> answer) {
        listener.ping(request.getPluginName());
        answer.onNext(PingResponse.getDefaultInstance());
        answer.onCompleted();
    }

    @Override
    public void notOffered(NotOfferedRequest request, StreamObserver<NotOfferedResponse> answer) {
        listener.notOffered(
                request.getPluginName(), request.getBuiltin(), request.getOfferedList());
        answer.onNext(NotOfferedResponse.getDefaultInstance());
        answer.onCompleted();
    }

    /// Who wants to know.
    public interface Listener {
        /// @param mistakes in its configuration: with any, it only tells its stages
        /// @param reads what its stages read of the sources
        void ready(
                String plugin,
                String version,
                int port,
                List<String> mistakes,
                Map<String, SourceUse> reads);

        void ping(String plugin);

        void notOffered(String plugin, String builtin, List<String> offered);
    }
}
