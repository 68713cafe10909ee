// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.callback;

import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.plugin.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsRequest;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.List;

/// Makes an empty line of a stage's log one that the control plane takes, before it is held to the
/// rules: public plugins write such lines, and each would take its whole batch with it.
final class EmptyLines implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onMessage(Q request) {
                super.onMessage(filled(request));
            }
        };
    }

    @SuppressWarnings("unchecked") // A request stays of its own type.
    private static <Q> Q filled(Q request) {
        return switch (request) {
            case ReportStageLogsRequest logs when anyEmpty(logs.getBlocksList()) ->
                    (Q)
                            logs.toBuilder()
                                    .clearBlocks()
                                    .addAllBlocks(filled(logs.getBlocksList()))
                                    .build();
            case ReportStageLogsFromLastCheckpointRequest logs
                    when anyEmpty(logs.getBlocksList()) ->
                    (Q)
                            logs.toBuilder()
                                    .clearBlocks()
                                    .addAllBlocks(filled(logs.getBlocksList()))
                                    .build();
            default -> request;
        };
    }

    private static boolean anyEmpty(List<LogBlock> blocks) {
        return blocks.stream().anyMatch(block -> block.getLog().isEmpty());
    }

    private static List<LogBlock> filled(List<LogBlock> blocks) {
        return blocks.stream()
                .map(block ->
                        block.getLog().isEmpty() ? block.toBuilder().setLog(" ").build() : block)
                .toList();
    }
}
