// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.testkit;

import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.wire.plugin.supervision.NotOfferedRequest;
import dev.pipecd.wire.plugin.supervision.NotOfferedResponse;
import dev.pipecd.wire.plugin.supervision.PingRequest;
import dev.pipecd.wire.plugin.supervision.PingResponse;
import dev.pipecd.wire.plugin.supervision.ReadyRequest;
import dev.pipecd.wire.plugin.supervision.ReadyResponse;
import dev.pipecd.wire.plugin.supervision.SourceUse;
import dev.pipecd.wire.plugin.supervision.SupervisionServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;

/// Hears that plugins are up.
final class FakeSupervision extends SupervisionServiceGrpc.SupervisionServiceImplBase {
    private final Heard heard;

    FakeSupervision(Heard heard) {
        this.heard = heard;
    }

    @Override
    public void ready(ReadyRequest request, StreamObserver<ReadyResponse> answer) {
        var reads = new HashMap<String, Reads>();
        request.getSourceUseMap().forEach((stage, use) -> reads.put(stage, reads(use)));
        heard.reads(request.getPluginName(), reads);
        heard.ready(request.getPluginName(), request.getPort(), request.getMistakesList());
        answer.onNext(ReadyResponse.getDefaultInstance());
        answer.onCompleted();
    }

    private static Reads reads(SourceUse use) {
        return switch (use) {
            case SOURCE_USE_TARGET -> Reads.TARGET;
            case SOURCE_USE_NOTHING -> Reads.NOTHING;
            case SOURCE_USE_EVERYTHING, UNRECOGNIZED -> Reads.EVERYTHING;
        };
    }

    @Override
    public void ping(PingRequest request, StreamObserver<PingResponse> answer) {
        heard.ping();
        answer.onNext(PingResponse.getDefaultInstance());
        answer.onCompleted();
    }

    @Override
    public void notOffered(NotOfferedRequest request, StreamObserver<NotOfferedResponse> answer) {
        heard.notOffered(request.getPluginName(), request.getBuiltin());
        answer.onNext(NotOfferedResponse.getDefaultInstance());
        answer.onCompleted();
    }
}
