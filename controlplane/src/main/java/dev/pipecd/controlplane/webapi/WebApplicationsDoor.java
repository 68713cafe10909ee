// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.Applications;
import dev.pipecd.controlplane.application.Suggestions;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;
import java.util.List;

/// Takes what people ask about applications.
public final class WebApplicationsDoor extends WebServiceGrpc.WebServiceImplBase {
    private final Applications applications;
    private final Suggestions suggestions;

    public WebApplicationsDoor(Applications applications, Suggestions suggestions) {
        this.applications = applications;
        this.suggestions = suggestions;
    }

    @Override
    public void listApplications(
            ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
        var person = Caller.currentPerson();
        applications.all(
                person,
                Filters.of(person.project(), request.getOptions()),
                found -> Reply.with(answer, written(found)));
    }

    private static ListApplicationsResponse written(List<ByteString> applications) {
        var field = ListApplicationsResponse.APPLICATIONS_FIELD_NUMBER;
        return ListApplicationsResponse.newBuilder()
                .setUnknownFields(Reply.list(field, applications))
                .build();
    }

    @Override
    public void getApplication(
            GetApplicationRequest request, StreamObserver<GetApplicationResponse> answer) {
        var found =
                applications.get(
                        Caller.currentPerson(), Ids.application(request.getApplicationId()));
        Reply.with(answer, GetApplicationResponse.newBuilder().setApplication(found).build());
    }

    @Override
    public void addApplication(
            AddApplicationRequest request, StreamObserver<AddApplicationResponse> answer) {
        var id = applications.add(Caller.currentPerson(), Filters.draft(request));
        Reply.with(
                answer, AddApplicationResponse.newBuilder().setApplicationId(id.value()).build());
    }

    @Override
    public void syncApplication(
            SyncApplicationRequest request, StreamObserver<SyncApplicationResponse> answer) {
        var command =
                applications.sync(
                        Caller.currentPerson(),
                        Ids.application(request.getApplicationId()),
                        request.getSyncStrategy());
        Reply.with(
                answer, SyncApplicationResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void listUnregisteredApplications(
            ListUnregisteredApplicationsRequest request,
            StreamObserver<ListUnregisteredApplicationsResponse> answer) {
        Reply.with(
                answer,
                ListUnregisteredApplicationsResponse.newBuilder()
                        .addAllApplications(suggestions.list(Caller.currentPerson()))
                        .build());
    }
}
