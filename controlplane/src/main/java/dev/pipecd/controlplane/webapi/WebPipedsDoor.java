// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;

/// Takes what people ask about agents.
public final class WebPipedsDoor extends WebServiceGrpc.WebServiceImplBase {
    private final Pipeds pipeds;

    public WebPipedsDoor(Pipeds pipeds) {
        this.pipeds = pipeds;
    }

    @Override
    public void registerPiped(
            RegisterPipedRequest request, StreamObserver<RegisterPipedResponse> answer) {
        var registered =
                pipeds.register(Caller.currentPerson(), request.getName(), request.getDesc());
        Reply.with(
                answer,
                RegisterPipedResponse.newBuilder()
                        .setId(registered.id().value())
                        .setKey(registered.key())
                        .build());
    }

    @Override
    public void recreatePipedKey(
            RecreatePipedKeyRequest request, StreamObserver<RecreatePipedKeyResponse> answer) {
        var key = pipeds.recreateKey(Caller.currentPerson(), Ids.piped(request.getId()));
        Reply.with(answer, RecreatePipedKeyResponse.newBuilder().setKey(key).build());
    }

    @Override
    public void deleteOldPipedKeys(
            DeleteOldPipedKeysRequest request, StreamObserver<DeleteOldPipedKeysResponse> answer) {
        pipeds.deleteOldKeys(Caller.currentPerson(), Ids.piped(request.getPipedId()));
        Reply.with(answer, DeleteOldPipedKeysResponse.getDefaultInstance());
    }

    @Override
    public void enablePiped(
            EnablePipedRequest request, StreamObserver<EnablePipedResponse> answer) {
        pipeds.enable(Caller.currentPerson(), Ids.piped(request.getPipedId()));
        Reply.with(answer, EnablePipedResponse.getDefaultInstance());
    }

    @Override
    public void disablePiped(
            DisablePipedRequest request, StreamObserver<DisablePipedResponse> answer) {
        pipeds.disable(Caller.currentPerson(), Ids.piped(request.getPipedId()));
        Reply.with(answer, DisablePipedResponse.getDefaultInstance());
    }

    @Override
    public void listPipeds(ListPipedsRequest request, StreamObserver<ListPipedsResponse> answer) {
        var options = request.getOptions();
        var found =
                pipeds.list(Caller.currentPerson()).stream()
                        .filter(p ->
                                !options.hasEnabled()
                                        || options.getEnabled().getValue() != p.getDisabled())
                        .toList();
        Reply.with(answer, ListPipedsResponse.newBuilder().addAllPipeds(found).build());
    }

    @Override
    public void getPiped(GetPipedRequest request, StreamObserver<GetPipedResponse> answer) {
        var found = pipeds.get(Caller.currentPerson(), Ids.piped(request.getPipedId()));
        Reply.with(answer, GetPipedResponse.newBuilder().setPiped(found).build());
    }
}
