// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.publicapi;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.Applications;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.api.*;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.SyncStrategy;
import io.grpc.stub.StreamObserver;
import java.util.List;

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
        var filter = Filters.of(holder.project(), request);
        if (request.getLimit() == 0 && request.getCursor().isEmpty()) {
            applications.all(holder, filter, found -> Reply.with(answer, whole(found)));
            return;
        }
        var page =
                applications.page(
                        holder, filter, Cursor.parse(request.getCursor()), request.getLimit());
        Reply.with(
                answer,
                ListApplicationsResponse.newBuilder()
                        .addAllApplications(page.items())
                        .setCursor(page.cursor())
                        .build());
    }

    /// No limit is none, as with the public server, whose callers may look for no further page.
    private static ListApplicationsResponse whole(List<ByteString> applications) {
        var field = ListApplicationsResponse.APPLICATIONS_FIELD_NUMBER;
        return ListApplicationsResponse.newBuilder()
                .setUnknownFields(Reply.list(field, applications))
                .setCursor(applications.isEmpty() ? "" : behind(applications.getLast()))
                .build();
    }

    private static String behind(ByteString last) {
        try {
            var application = Application.parseFrom(last);
            return new Cursor(application.getUpdatedAt(), application.getId()).text();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e); // we have written it ourselves
        }
    }
}
