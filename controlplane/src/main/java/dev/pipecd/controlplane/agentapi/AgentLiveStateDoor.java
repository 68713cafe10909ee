// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.AnalysisResults;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.livestate.LiveStates;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;

/// Takes what agents see and measure of applications that run.
public final class AgentLiveStateDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final LiveStates states;
    private final AnalysisResults analyses;

    public AgentLiveStateDoor(LiveStates states, AnalysisResults analyses) {
        this.states = states;
        this.analyses = analyses;
    }

    @Override
    public void reportApplicationLiveState(
            ReportApplicationLiveStateRequest request,
            StreamObserver<ReportApplicationLiveStateResponse> answer) {
        Ids.application(request.getSnapshot().getApplicationId());
        states.report(Caller.currentAgent(), request.getSnapshot());
        Reply.with(answer, ReportApplicationLiveStateResponse.getDefaultInstance());
    }

    @Override
    public void reportApplicationLiveStateEvents(
            ReportApplicationLiveStateEventsRequest request,
            StreamObserver<ReportApplicationLiveStateEventsResponse> answer) {
        var agent = Caller.currentAgent();
        request.getKubernetesEventsList().forEach(e -> Ids.application(e.getApplicationId()));
        var failed = states.patch(agent, request.getKubernetesEventsList());
        Reply.with(
                answer,
                ReportApplicationLiveStateEventsResponse.newBuilder()
                        .addAllFailedIds(failed)
                        .build());
    }

    @Override
    public void getLatestAnalysisResult(
            GetLatestAnalysisResultRequest request,
            StreamObserver<GetLatestAnalysisResultResponse> answer) {
        var found =
                analyses.latest(Caller.currentAgent(), Ids.application(request.getApplicationId()));
        Reply.with(
                answer,
                GetLatestAnalysisResultResponse.newBuilder().setAnalysisResult(found).build());
    }

    @Override
    public void putLatestAnalysisResult(
            PutLatestAnalysisResultRequest request,
            StreamObserver<PutLatestAnalysisResultResponse> answer) {
        analyses.put(
                Caller.currentAgent(),
                Ids.application(request.getApplicationId()),
                request.getAnalysisResult());
        Reply.with(answer, PutLatestAnalysisResultResponse.getDefaultInstance());
    }
}
