// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.event.EventReports;
import dev.pipecd.controlplane.event.EventSpan;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.piped.*;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/// Takes what agents ask and report of the project's events.
public final class AgentEventsDoor extends PipedServiceGrpc.PipedServiceImplBase {
    private final EventReports events;

    public AgentEventsDoor(EventReports events) {
        this.events = events;
    }

    @Override
    public void getLatestEvent(
            GetLatestEventRequest request, StreamObserver<GetLatestEventResponse> answer) {
        var found = events.latest(Caller.currentAgent(), request.getName(), request.getLabelsMap());
        Reply.with(answer, GetLatestEventResponse.newBuilder().setEvent(found).build());
    }

    @Override
    public void listEvents(ListEventsRequest request, StreamObserver<ListEventsResponse> answer) {
        var order =
                request.getOrder() == ListOrder.ASC
                        ? EventSpan.Order.OLDEST_FIRST
                        : EventSpan.Order.NEWEST_FIRST;
        var span = new EventSpan(request.getFrom(), request.getTo(), status(request), order);
        Reply.with(
                answer,
                ListEventsResponse.newBuilder()
                        .addAllEvents(events.list(Caller.currentAgent(), span))
                        .build());
    }

    private static Optional<EventStatus> status(ListEventsRequest request) {
        return switch (request.getStatus()) {
            case ALL, UNRECOGNIZED -> Optional.empty();
            case NOT_HANDLED -> Optional.of(EventStatus.EVENT_NOT_HANDLED);
            case SUCCESS -> Optional.of(EventStatus.EVENT_SUCCESS);
            case FAILURE -> Optional.of(EventStatus.EVENT_FAILURE);
            case OUTDATED -> Optional.of(EventStatus.EVENT_OUTDATED);
        };
    }

    @Override
    public void reportEventStatuses(
            ReportEventStatusesRequest request,
            StreamObserver<ReportEventStatusesResponse> answer) {
        events.ended(
                Caller.currentAgent(),
                request.getEventsList().stream()
                        .map(e ->
                                new EventReports.End(
                                        Ids.given("id", e.getId()),
                                        e.getStatus(),
                                        e.getStatusDescription()))
                        .toList());
        Reply.with(answer, ReportEventStatusesResponse.getDefaultInstance());
    }
}
