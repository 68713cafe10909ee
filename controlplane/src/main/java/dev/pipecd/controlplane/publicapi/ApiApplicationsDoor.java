// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.Applications;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.api.*;
import dev.pipecd.wire.model.SyncStrategy;
import io.grpc.stub.StreamObserver;

/// Takes what holders of an API key ask about applications.
public final class ApiApplicationsDoor extends APIServiceGrpc.APIServiceImplBase {
    private final Applications applications;

    public ApiApplicationsDoor(Applications applications) {
        this.applications = applications;
    }

    @Override
    public void addApplication(
            AddApplicationRequest request, StreamObserver<AddApplicationResponse> answer) {
        var id = applications.add(Caller.currentKeyHolder(), Filters.draft(request));
        Reply.with(
                answer, AddApplicationResponse.newBuilder().setApplicationId(id.value()).build());
    }

    @Override
    public void syncApplication(
            SyncApplicationRequest request, StreamObserver<SyncApplicationResponse> answer) {
        var command =
                applications.sync(
                        Caller.currentKeyHolder(),
                        Ids.application(request.getApplicationId()),
                        SyncStrategy.AUTO);
        Reply.with(
                answer, SyncApplicationResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void getApplication(
            GetApplicationRequest request, StreamObserver<GetApplicationResponse> answer) {
        var found =
                applications.get(
                        Caller.currentKeyHolder(), Ids.application(request.getApplicationId()));
        Reply.with(answer, GetApplicationResponse.newBuilder().setApplication(found).build());
    }

    @Override
    public void listApplications(
            ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
        var holder = Caller.currentKeyHolder();
        var page =
                applications.page(
                        holder,
                        Filters.of(holder.project(), request),
                        Cursor.parse(request.getCursor()),
                        request.getLimit());
        Reply.with(
                answer,
                ListApplicationsResponse.newBuilder()
                        .addAllApplications(page.items())
                        .setCursor(page.cursor())
                        .build());
    }
}
