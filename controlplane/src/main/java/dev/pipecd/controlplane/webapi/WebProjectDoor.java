// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.ApiKeys;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.project.OwnProject;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;

/// Takes what people ask about themselves, their project and its keys.
public final class WebProjectDoor extends WebServiceGrpc.WebServiceImplBase {
    private final OwnProject project;
    private final ApiKeys apiKeys;

    public WebProjectDoor(OwnProject project, ApiKeys apiKeys) {
        this.project = project;
        this.apiKeys = apiKeys;
    }

    @Override
    public void getMe(GetMeRequest request, StreamObserver<GetMeResponse> answer) {
        var me = project.me(Caller.currentPerson());
        var session = Sessions.CURRENT.get();
        Reply.with(
                answer,
                GetMeResponse.newBuilder()
                        .setSubject(me.name())
                        .setProjectId(me.project().value())
                        .setAvatarUrl(session == null ? "" : session.avatarUrl())
                        .build());
    }

    @Override
    public void getProject(GetProjectRequest request, StreamObserver<GetProjectResponse> answer) {
        Reply.with(
                answer,
                GetProjectResponse.newBuilder()
                        .setProject(project.get(Caller.currentPerson()))
                        .build());
    }

    @Override
    public void generateAPIKey(
            GenerateAPIKeyRequest request, StreamObserver<GenerateAPIKeyResponse> answer) {
        var key = apiKeys.generate(Caller.currentPerson(), request.getName(), request.getRole());
        Reply.with(answer, GenerateAPIKeyResponse.newBuilder().setKey(key).build());
    }

    @Override
    public void disableAPIKey(
            DisableAPIKeyRequest request, StreamObserver<DisableAPIKeyResponse> answer) {
        apiKeys.disable(Caller.currentPerson(), Ids.given("id", request.getId()));
        Reply.with(answer, DisableAPIKeyResponse.getDefaultInstance());
    }

    @Override
    public void listAPIKeys(
            ListAPIKeysRequest request, StreamObserver<ListAPIKeysResponse> answer) {
        var options = request.getOptions();
        var found =
                apiKeys.list(Caller.currentPerson()).stream()
                        .filter(k ->
                                !options.hasEnabled()
                                        || options.getEnabled().getValue() != k.getDisabled())
                        .toList();
        Reply.with(answer, ListAPIKeysResponse.newBuilder().addAllKeys(found).build());
    }
}
