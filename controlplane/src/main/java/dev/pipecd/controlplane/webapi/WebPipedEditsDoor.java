// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.piped.PipedEdits;
import dev.pipecd.controlplane.release.Releases;
import dev.pipecd.wire.web.*;
import io.grpc.stub.StreamObserver;

/// Takes what people change about agents, and shows them the versions there are.
public final class WebPipedEditsDoor extends WebServiceGrpc.WebServiceImplBase {
    private final PipedEdits edits;
    private final Releases releases;

    public WebPipedEditsDoor(PipedEdits edits, Releases releases) {
        this.edits = edits;
        this.releases = releases;
    }

    @Override
    public void updatePiped(
            UpdatePipedRequest request, StreamObserver<UpdatePipedResponse> answer) {
        edits.rename(
                Caller.currentPerson(),
                Ids.piped(request.getPipedId()),
                request.getName(),
                request.getDesc());
        Reply.with(answer, UpdatePipedResponse.getDefaultInstance());
    }

    @Override
    public void updatePipedDesiredVersion(
            UpdatePipedDesiredVersionRequest request,
            StreamObserver<UpdatePipedDesiredVersionResponse> answer) {
        edits.desire(
                Caller.currentPerson(),
                request.getPipedIdsList().stream().map(Ids::piped).toList(),
                request.getVersion());
        Reply.with(answer, UpdatePipedDesiredVersionResponse.getDefaultInstance());
    }

    @Override
    public void restartPiped(
            RestartPipedRequest request, StreamObserver<RestartPipedResponse> answer) {
        var command = edits.restart(Caller.currentPerson(), Ids.piped(request.getPipedId()));
        Reply.with(answer, RestartPipedResponse.newBuilder().setCommandId(command.value()).build());
    }

    @Override
    public void listReleasedVersions(
            ListReleasedVersionsRequest request,
            StreamObserver<ListReleasedVersionsResponse> answer) {
        Reply.with(
                answer,
                ListReleasedVersionsResponse.newBuilder()
                        .addAllVersions(releases.versions(Caller.currentPerson()))
                        .build());
    }

    @Override
    public void listDeprecatedNotes(
            ListDeprecatedNotesRequest request,
            StreamObserver<ListDeprecatedNotesResponse> answer) {
        var notes = releases.deprecatedNotes(Caller.currentPerson(), request.getProjectId());
        Reply.with(answer, ListDeprecatedNotesResponse.newBuilder().setNotes(notes).build());
    }
}
