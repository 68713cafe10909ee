// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.ApplicationEdits;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.livestate.LiveStates;
import dev.pipecd.controlplane.piped.SealedSecrets;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/// Takes what people change about applications, the secrets they seal for them, and the question
/// what really runs.
public final class WebApplicationEditsDoor extends WebServiceGrpc.WebServiceImplBase {
    private final ApplicationEdits edits;
    private final SealedSecrets secrets;
    private final LiveStates states;

    public WebApplicationEditsDoor(
            ApplicationEdits edits, SealedSecrets secrets, LiveStates states) {
        this.edits = edits;
        this.secrets = secrets;
        this.states = states;
    }

    @Override
    public void enableApplication(
            EnableApplicationRequest request, StreamObserver<EnableApplicationResponse> answer) {
        edits.enable(Caller.currentPerson(), Ids.application(request.getApplicationId()));
        Reply.with(answer, EnableApplicationResponse.getDefaultInstance());
    }

    @Override
    public void disableApplication(
            DisableApplicationRequest request, StreamObserver<DisableApplicationResponse> answer) {
        edits.disable(Caller.currentPerson(), Ids.application(request.getApplicationId()));
        Reply.with(answer, DisableApplicationResponse.getDefaultInstance());
    }

    @Override
    public void deleteApplication(
            DeleteApplicationRequest request, StreamObserver<DeleteApplicationResponse> answer) {
        edits.delete(Caller.currentPerson(), Ids.application(request.getApplicationId()));
        Reply.with(answer, DeleteApplicationResponse.getDefaultInstance());
    }

    @Override
    public void updateApplication(
            UpdateApplicationRequest request, StreamObserver<UpdateApplicationResponse> answer) {
        edits.move(
                Caller.currentPerson(),
                Ids.application(request.getApplicationId()),
                new ApplicationEdits.Place(
                        Ids.piped(request.getPipedId()).value(),
                        request.getPlatformProvider(),
                        request.getConfigFilename(),
                        Optional.of(request.getDeployTargetsByPluginMap())));
        Reply.with(answer, UpdateApplicationResponse.getDefaultInstance());
    }

    @Override
    public void generateApplicationSealedSecret(
            GenerateApplicationSealedSecretRequest request,
            StreamObserver<GenerateApplicationSealedSecretResponse> answer) {
        var sealed =
                secrets.seal(
                        Caller.currentPerson(),
                        Ids.piped(request.getPipedId()),
                        request.getData(),
                        request.getBase64Encoding());
        Reply.with(
                answer,
                GenerateApplicationSealedSecretResponse.newBuilder().setData(sealed).build());
    }

    @Override
    public void getApplicationLiveState(
            GetApplicationLiveStateRequest request,
            StreamObserver<GetApplicationLiveStateResponse> answer) {
        var found = states.get(Caller.currentPerson(), Ids.application(request.getApplicationId()));
        Reply.with(answer, GetApplicationLiveStateResponse.newBuilder().setSnapshot(found).build());
    }
}
