// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.event.Events;
import dev.pipecd.controlplane.piped.SealedSecrets;
import dev.pipecd.controlplane.preview.PlanPreviews;
import dev.pipecd.domain.CommandId;
import dev.pipecd.wire.api.*;
import dev.pipecd.wire.model.DeploymentTrace;
import dev.pipecd.wire.model.Event;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/// Takes what people's own pipelines tell and ask: events, previews, secrets to be sealed.
public final class ApiPipelinesDoor extends APIServiceGrpc.APIServiceImplBase {
    private final Events events;
    private final PlanPreviews previews;
    private final SealedSecrets secrets;

    public ApiPipelinesDoor(Events events, PlanPreviews previews, SealedSecrets secrets) {
        this.events = events;
        this.previews = previews;
        this.secrets = secrets;
    }

    @Override
    public void registerEvent(
            RegisterEventRequest request, StreamObserver<RegisterEventResponse> answer) {
        var event =
                Event.newBuilder()
                        .setName(request.getName())
                        .setData(request.getData())
                        .putAllLabels(request.getLabelsMap())
                        .putAllContexts(request.getContextsMap())
                        .build();
        var commit =
                DeploymentTrace.newBuilder()
                        .setTitle(request.getCommitTitle())
                        .setCommitMessage(request.getCommitMessage())
                        .setCommitHash(request.getCommitHash())
                        .setCommitUrl(request.getCommitUrl())
                        .setCommitTimestamp(request.getCommitTimestamp())
                        .setAuthor(request.getCommitAuthor())
                        .build();
        var id = events.register(Caller.currentKeyHolder(), event, commit);
        Reply.with(answer, RegisterEventResponse.newBuilder().setEventId(id).build());
    }

    @Override
    public void requestPlanPreview(
            RequestPlanPreviewRequest request, StreamObserver<RequestPlanPreviewResponse> answer) {
        var commands =
                previews.request(
                        Caller.currentKeyHolder(),
                        new PlanPreviews.Asked(
                                request.getRepoRemoteUrl(),
                                request.getHeadBranch(),
                                request.getHeadCommit(),
                                request.getBaseBranch(),
                                Duration.ofSeconds(request.getTimeout())));
        Reply.with(
                answer,
                RequestPlanPreviewResponse.newBuilder()
                        .addAllCommands(commands.stream().map(CommandId::value).toList())
                        .build());
    }

    @Override
    public void getPlanPreviewResults(
            GetPlanPreviewResultsRequest request,
            StreamObserver<GetPlanPreviewResultsResponse> answer) {
        var results =
                previews.results(
                        Caller.currentKeyHolder(),
                        request.getCommandsList().stream().map(Ids::command).toList(),
                        Duration.ofSeconds(request.getCommandHandleTimeout()));
        Reply.with(
                answer, GetPlanPreviewResultsResponse.newBuilder().addAllResults(results).build());
    }

    @Override
    public void encrypt(EncryptRequest request, StreamObserver<EncryptResponse> answer) {
        var sealed =
                secrets.seal(
                        Caller.currentKeyHolder(),
                        Ids.piped(request.getPipedId()),
                        request.getPlaintext(),
                        request.getBase64Encoding());
        Reply.with(answer, EncryptResponse.newBuilder().setCiphertext(sealed).build());
    }
}
