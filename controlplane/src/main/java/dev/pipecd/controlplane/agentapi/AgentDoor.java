// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;

/// Takes what agents tell of themselves, and hands them their orders.
public final class AgentDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final About piped;
    private final Commands commands;

    public AgentDoor(About piped, Commands commands) {
        this.piped = piped;
        this.commands = commands;
    }

    @Override
    public void reportStat(ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
        piped.reports().alive(Caller.currentAgent());
        Reply.with(answer, ReportStatResponse.getDefaultInstance());
    }

    @Override
    public void reportPipedMeta(
            ReportPipedMetaRequest request, StreamObserver<ReportPipedMetaResponse> answer) {
        var stored = piped.reports().started(Caller.currentAgent(), About.told(request));
        Reply.with(
                answer,
                ReportPipedMetaResponse.newBuilder()
                        .setName(stored.getName())
                        .setWebBaseUrl(piped.webAddress())
                        .build());
    }

    @Override
    public void getDesiredVersion(
            GetDesiredVersionRequest request, StreamObserver<GetDesiredVersionResponse> answer) {
        Reply.with(
                answer,
                GetDesiredVersionResponse.newBuilder()
                        .setVersion(piped.reports().desiredVersion(Caller.currentAgent()))
                        .build());
    }

    @Override
    public void listUnhandledCommands(
            ListUnhandledCommandsRequest request,
            StreamObserver<ListUnhandledCommandsResponse> answer) {
        Reply.with(
                answer,
                ListUnhandledCommandsResponse.newBuilder()
                        .addAllCommands(commands.unhandled(Caller.currentAgent()))
                        .build());
    }

    @Override
    public void reportCommandHandled(
            ReportCommandHandledRequest request,
            StreamObserver<ReportCommandHandledResponse> answer) {
        commands.handled(Caller.currentAgent(), Given.answer(request));
        Reply.with(answer, ReportCommandHandledResponse.getDefaultInstance());
    }
}
