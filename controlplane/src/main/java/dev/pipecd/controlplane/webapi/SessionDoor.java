// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.ApiKeys;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.model.ProjectRBACPolicy;
import dev.pipecd.wire.model.ProjectRBACResource;
import dev.pipecd.wire.session.*;
import io.grpc.stub.StreamObserver;
import java.util.Comparator;

/// Tells people what they may do, and takes what the public messages have no room for.
public final class SessionDoor extends SessionServiceGrpc.SessionServiceImplBase {
    private final ApiKeys apiKeys;
    private final SessionEnds sessions;

    public SessionDoor(ApiKeys apiKeys, SessionEnds sessions) {
        this.apiKeys = apiKeys;
        this.sessions = sessions;
    }

    @Override
    public void getPermissions(
            GetPermissionsRequest request, StreamObserver<GetPermissionsResponse> answer) {
        var person = Caller.currentPerson();
        var session = Sessions.CURRENT.get();
        var told =
                GetPermissionsResponse.newBuilder()
                        .setSubject(person.name())
                        .setProjectId(person.project().value())
                        .setExpiresAt(session == null ? 0 : session.expires().getEpochSecond());
        person.roles().stream().sorted().forEach(told::addRoles);
        person.permissions().stream()
                .sorted(
                        Comparator.comparing(dev.pipecd.controlplane.access.Permission::resource)
                                .thenComparing(dev.pipecd.controlplane.access.Permission::action)
                                .thenComparing(p -> p.labels().toString()))
                .map(SessionDoor::told)
                .forEach(told::addPermissions);
        Reply.with(answer, told.build());
    }

    private static Permission told(dev.pipecd.controlplane.access.Permission permission) {
        return Permission.newBuilder()
                .setResource(ProjectRBACResource.ResourceType.valueOf(permission.resource().name()))
                .setAction(ProjectRBACPolicy.Action.valueOf(permission.action().name()))
                .putAllLabels(permission.labels())
                .build();
    }

    @Override
    public void generateAPIKey(
            GenerateAPIKeyRequest request, StreamObserver<GenerateAPIKeyResponse> answer) {
        var key =
                apiKeys.generate(
                        Caller.currentPerson(),
                        request.getName(),
                        request.getRole(),
                        request.getExpiresAt());
        Reply.with(answer, GenerateAPIKeyResponse.newBuilder().setKey(key).build());
    }

    @Override
    public void listAPIKeyExpiries(
            ListAPIKeyExpiriesRequest request, StreamObserver<ListAPIKeyExpiriesResponse> answer) {
        Reply.with(
                answer,
                ListAPIKeyExpiriesResponse.newBuilder()
                        .putAllExpiresAt(apiKeys.expiries(Caller.currentPerson()))
                        .build());
    }

    @Override
    public void endSessions(
            EndSessionsRequest request, StreamObserver<EndSessionsResponse> answer) {
        sessions.end(Caller.currentPerson(), request.getSubject());
        Reply.with(answer, EndSessionsResponse.getDefaultInstance());
    }
}
