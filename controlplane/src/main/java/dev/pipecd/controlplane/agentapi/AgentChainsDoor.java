// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.chain.ChainReports;
import dev.pipecd.controlplane.chain.ChainReports.Turn;
import dev.pipecd.controlplane.chain.Matcher;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;

/// Takes what agents ask about chains of deployments.
public final class AgentChainsDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final ChainReports chains;

    public AgentChainsDoor(ChainReports chains) {
        this.chains = chains;
    }

    @Override
    public void createDeploymentChain(
            CreateDeploymentChainRequest request,
            StreamObserver<CreateDeploymentChainResponse> answer) {
        chains.create(
                Caller.currentAgent(),
                request.getFirstDeployment(),
                request.getMatchersList().stream()
                        .map(m -> new Matcher(m.getName(), m.getKind(), m.getLabelsMap()))
                        .toList());
        Reply.with(answer, CreateDeploymentChainResponse.getDefaultInstance());
    }

    @Override
    public void inChainDeploymentPlannable(
            InChainDeploymentPlannableRequest request,
            StreamObserver<InChainDeploymentPlannableResponse> answer) {
        var turn =
                chains.turn(
                        Caller.currentAgent(),
                        Ids.deployment(request.getDeploymentId()),
                        Ids.given("deployment_chain_id", request.getDeploymentChainId()),
                        request.getDeploymentChainBlockIndex());
        var told = InChainDeploymentPlannableResponse.newBuilder();
        switch (turn) {
            case Turn.Now() -> told.setPlannable(true);
            case Turn.Later() -> {}
            case Turn.Never(var why) -> told.setCancel(true).setCancelReason(why);
        }
        Reply.with(answer, told.build());
    }
}
