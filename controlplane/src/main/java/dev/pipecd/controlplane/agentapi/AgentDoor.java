// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.chain.ChainMoves;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;

/// Takes what agents tell of themselves, and hands them their orders.
public final class AgentDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final About piped;
    private final Commands commands;
    private final ChainMoves chains;

    public AgentDoor(About piped, Commands commands, ChainMoves chains) {
        this.piped = piped;
        this.commands = commands;
        this.chains = chains;
    }

    @Override
    public void reportStat(ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
        piped.reports().alive(Caller.currentAgent(), request.getPipedStats().toByteArray());
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
        // agents ask every few seconds: after a restart of ours they are known to be there sooner
        piped.reports().alive(Caller.currentAgent());
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
        var command = commands.handled(Caller.currentAgent(), Given.answer(request));
        // who cannot deploy is not waited for
        if (command.hasChainSyncApplication()
                && command.getStatus() != CommandStatus.COMMAND_SUCCEEDED)
            chains.lookAfter(command.getChainSyncApplication().getDeploymentChainId());
        Reply.with(answer, ReportCommandHandledResponse.getDefaultInstance());
    }
}
