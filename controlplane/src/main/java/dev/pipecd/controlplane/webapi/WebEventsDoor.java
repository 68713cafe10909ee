// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.chain.Chains;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.event.EventFilter;
import dev.pipecd.controlplane.event.Events;
import dev.pipecd.controlplane.event.TraceFilter;
import dev.pipecd.controlplane.event.Traces;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.web.*;
import dev.pipecd.wire.web.ListDeploymentTracesResponse.DeploymentTraceRes;
import io.grpc.stub.StreamObserver;

/// Takes what people ask about events, the commits they came of, and chains of deployments.
public final class WebEventsDoor extends WebServiceGrpc.WebServiceImplBase {
    private final Events events;
    private final Traces traces;
    private final Chains chains;

    public WebEventsDoor(Events events, Traces traces, Chains chains) {
        this.events = events;
        this.traces = traces;
        this.chains = chains;
    }

    @Override
    public void listEvents(ListEventsRequest request, StreamObserver<ListEventsResponse> answer) {
        var person = Caller.currentPerson();
        var options = request.getOptions();
        var filter =
                new EventFilter(
                        person.project(),
                        options.getName(),
                        Filters.known("statuses", options.getStatusesList()),
                        options.getLabelsMap(),
                        request.getPageMinUpdatedAt());
        var page =
                events.page(
                        person, filter, Cursor.parse(request.getCursor()), request.getPageSize());
        Reply.with(
                answer,
                ListEventsResponse.newBuilder()
                        .addAllEvents(page.items())
                        .setCursor(page.cursor())
                        .build());
    }

    @Override
    public void listDeploymentTraces(
            ListDeploymentTracesRequest request,
            StreamObserver<ListDeploymentTracesResponse> answer) {
        var person = Caller.currentPerson();
        var filter =
                new TraceFilter(
                        person.project(),
                        request.getOptions().getCommitHash(),
                        request.getPageMinUpdatedAt());
        var page =
                traces.page(
                        person, filter, Cursor.parse(request.getCursor()), request.getPageSize());
        var told = ListDeploymentTracesResponse.newBuilder().setCursor(page.cursor());
        for (var trace : page.items())
            told.addTraces(
                    DeploymentTraceRes.newBuilder()
                            .setTrace(trace.commit())
                            .addAllDeployments(trace.deployments()));
        Reply.with(answer, told.build());
    }

    @Override
    public void listDeploymentChains(
            ListDeploymentChainsRequest request,
            StreamObserver<ListDeploymentChainsResponse> answer) {
        var page =
                chains.page(
                        Caller.currentPerson(),
                        request.getPageMinUpdatedAt(),
                        Cursor.parse(request.getCursor()),
                        request.getPageSize());
        Reply.with(
                answer,
                ListDeploymentChainsResponse.newBuilder()
                        .addAllDeploymentChains(page.items())
                        .setCursor(page.cursor())
                        .build());
    }

    @Override
    public void getDeploymentChain(
            GetDeploymentChainRequest request, StreamObserver<GetDeploymentChainResponse> answer) {
        var found =
                chains.get(
                        Caller.currentPerson(),
                        Ids.given("deployment_chain_id", request.getDeploymentChainId()));
        Reply.with(
                answer, GetDeploymentChainResponse.newBuilder().setDeploymentChain(found).build());
    }
}
