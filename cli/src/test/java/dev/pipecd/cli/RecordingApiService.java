// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import com.google.protobuf.Message;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.GetApplicationResponse;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.GetCommandResponse;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.ListStageLogsResponse;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/// A control plane's public API that answers what it was told to and remembers what it was asked.
final class RecordingApiService extends APIServiceGrpc.APIServiceImplBase {
    private final Map<Class<?>, Queue<Object>> answers = new HashMap<>();
    private final List<Message> requests = new ArrayList<>();

    /// To requests of this type: these messages, or refusals (a `Status`), one after the other; the
    /// last one again and again.
    synchronized RecordingApiService answer(Class<? extends Message> request, Object... inTurn) {
        answers.put(request, new ArrayDeque<>(Arrays.asList(inTurn)));
        return this;
    }

    synchronized List<Message> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void listApplications(
            ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> caller) {
        give(request, ListApplicationsResponse.class, caller);
    }

    @Override
    public void getApplication(
            GetApplicationRequest request, StreamObserver<GetApplicationResponse> caller) {
        give(request, GetApplicationResponse.class, caller);
    }

    @Override
    public void syncApplication(
            SyncApplicationRequest request, StreamObserver<SyncApplicationResponse> caller) {
        give(request, SyncApplicationResponse.class, caller);
    }

    @Override
    public void getCommand(GetCommandRequest request, StreamObserver<GetCommandResponse> caller) {
        give(request, GetCommandResponse.class, caller);
    }

    @Override
    public void listDeployments(
            ListDeploymentsRequest request, StreamObserver<ListDeploymentsResponse> caller) {
        give(request, ListDeploymentsResponse.class, caller);
    }

    @Override
    public void getDeployment(
            GetDeploymentRequest request, StreamObserver<GetDeploymentResponse> caller) {
        give(request, GetDeploymentResponse.class, caller);
    }

    @Override
    public void listStageLogs(
            ListStageLogsRequest request, StreamObserver<ListStageLogsResponse> caller) {
        give(request, ListStageLogsResponse.class, caller);
    }

    private <A> void give(Message request, Class<A> type, StreamObserver<A> caller) {
        switch (next(request)) {
            case Status refusal -> caller.onError(refusal.asRuntimeException());
            case Object answer -> {
                caller.onNext(type.cast(answer));
                caller.onCompleted();
            }
        }
    }

    private synchronized Object next(Message request) {
        requests.add(request);
        var inTurn = answers.getOrDefault(request.getClass(), new ArrayDeque<>());
        if (inTurn.isEmpty())
            return Status.INTERNAL.withDescription(
                    "the test gave no answer to " + request.getClass());
        return inTurn.size() > 1 ? inTurn.remove() : inTurn.element();
    }
}
