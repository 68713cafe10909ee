// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.ApplicationEdits;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.api.*;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/// Takes what holders of an API key change about applications.
public final class ApiApplicationEditsDoor extends APIServiceGrpc.APIServiceImplBase {
    private final ApplicationEdits edits;

    public ApiApplicationEditsDoor(ApplicationEdits edits) {
        this.edits = edits;
    }

    @Override
    public void updateApplication(
            UpdateApplicationRequest request, StreamObserver<UpdateApplicationResponse> answer) {
        edits.move(
                Caller.currentKeyHolder(),
                Ids.application(request.getApplicationId()),
                new ApplicationEdits.Place(
                        Ids.piped(request.getPipedId()).value(),
                        request.getPlatformProvider(),
                        request.getGitPath().getConfigFilename(),
                        Optional.empty()));
        Reply.with(
                answer,
                UpdateApplicationResponse.newBuilder()
                        .setApplicationId(request.getApplicationId())
                        .build());
    }

    @Override
    public void deleteApplication(
            DeleteApplicationRequest request, StreamObserver<DeleteApplicationResponse> answer) {
        edits.delete(Caller.currentKeyHolder(), Ids.application(request.getApplicationId()));
        Reply.with(
                answer,
                DeleteApplicationResponse.newBuilder()
                        .setApplicationId(request.getApplicationId())
                        .build());
    }

    @Override
    public void enableApplication(
            EnableApplicationRequest request, StreamObserver<EnableApplicationResponse> answer) {
        edits.enable(Caller.currentKeyHolder(), Ids.application(request.getApplicationId()));
        Reply.with(
                answer,
                EnableApplicationResponse.newBuilder()
                        .setApplicationId(request.getApplicationId())
                        .build());
    }

    @Override
    public void disableApplication(
            DisableApplicationRequest request, StreamObserver<DisableApplicationResponse> answer) {
        edits.disable(Caller.currentKeyHolder(), Ids.application(request.getApplicationId()));
        Reply.with(
                answer,
                DisableApplicationResponse.newBuilder()
                        .setApplicationId(request.getApplicationId())
                        .build());
    }

    @Override
    public void renameApplicationConfigFile(
            RenameApplicationConfigFileRequest request,
            StreamObserver<RenameApplicationConfigFileResponse> answer) {
        edits.rename(
                Caller.currentKeyHolder(),
                request.getApplicationIdsList().stream().map(Ids::application).toList(),
                request.getNewFilename());
        Reply.with(answer, RenameApplicationConfigFileResponse.getDefaultInstance());
    }

    @Override
    public void updateApplicationDeployTargets(
            UpdateApplicationDeployTargetsRequest request,
            StreamObserver<UpdateApplicationDeployTargetsResponse> answer) {
        edits.retarget(
                Caller.currentKeyHolder(),
                Ids.application(request.getApplicationId()),
                request.getDeployTargetsByPluginMap());
        Reply.with(answer, UpdateApplicationDeployTargetsResponse.getDefaultInstance());
    }
}
