// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.piped.PipedEdits;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.wire.api.*;
import io.grpc.stub.StreamObserver;

/// Takes what holders of an API key ask about agents.
public final class ApiPipedsDoor extends APIServiceGrpc.APIServiceImplBase {
    private final Pipeds pipeds;
    private final PipedEdits edits;

    public ApiPipedsDoor(Pipeds pipeds, PipedEdits edits) {
        this.pipeds = pipeds;
        this.edits = edits;
    }

    @Override
    public void getPiped(GetPipedRequest request, StreamObserver<GetPipedResponse> answer) {
        var found = pipeds.get(Caller.currentKeyHolder(), Ids.piped(request.getPipedId()));
        Reply.with(answer, GetPipedResponse.newBuilder().setPiped(found).build());
    }

    @Override
    public void registerPiped(
            RegisterPipedRequest request, StreamObserver<RegisterPipedResponse> answer) {
        var registered =
                pipeds.register(Caller.currentKeyHolder(), request.getName(), request.getDesc());
        Reply.with(
                answer,
                RegisterPipedResponse.newBuilder()
                        .setId(registered.id().value())
                        .setKey(registered.key())
                        .build());
    }

    @Override
    public void updatePiped(
            UpdatePipedRequest request, StreamObserver<UpdatePipedResponse> answer) {
        edits.rename(
                Caller.currentKeyHolder(),
                Ids.piped(request.getPipedId()),
                request.getName(),
                request.getDesc());
        Reply.with(answer, UpdatePipedResponse.getDefaultInstance());
    }

    @Override
    public void enablePiped(
            EnablePipedRequest request, StreamObserver<EnablePipedResponse> answer) {
        pipeds.enable(Caller.currentKeyHolder(), Ids.piped(request.getPipedId()));
        Reply.with(answer, EnablePipedResponse.getDefaultInstance());
    }

    @Override
    public void disablePiped(
            DisablePipedRequest request, StreamObserver<DisablePipedResponse> answer) {
        pipeds.disable(Caller.currentKeyHolder(), Ids.piped(request.getPipedId()));
        Reply.with(answer, DisablePipedResponse.getDefaultInstance());
    }
}
