// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.EventStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The deployments that come of an event. They carry the commit the event was registered with;
/// those that carried it before are of an earlier run of the same job.
final class CausedDeployments {
    private static final int LATEST = 50;

    private final ApiConnection api;
    private final String commit;
    private final Set<String> named;
    private final Set<String> known = new HashSet<>();
    private final Set<String> begun = new HashSet<>();

    /// Asked before the event is registered.
    CausedDeployments(ApiConnection api, String commit, List<String> applications) {
        this.api = api;
        this.commit = commit;
        this.named = Set.copyOf(applications);
        carrying().map(Deployment::getId).forEach(known::add);
    }

    /// Those found since this was asked last.
    List<String> found() {
        var fresh = new ArrayList<String>();
        carrying()
                .filter(each -> named.isEmpty() || named.contains(each.getApplicationId()))
                .filter(each -> known.add(each.getId()))
                .forEach(each -> {
                    fresh.add(each.getId());
                    begun.add(each.getApplicationId());
                });
        return fresh;
    }

    /// Whether there is one of each application that was named, or of any if none was.
    boolean complete() {
        return !begun.isEmpty() && begun.containsAll(named);
    }

    private Stream<Deployment> carrying() {
        var request = ListDeploymentsRequest.newBuilder().setLimit(LATEST).build();
        return api.ask(stub -> stub.listDeployments(request)).getDeploymentsList().stream()
                .filter(each -> each.getDeploymentTraceCommitHash().equals(commit));
    }

    /// An event that an agent has given up will cause nothing. Only our control plane tells.
    boolean requireHope(String eventId) {
        var request = GetEventRequest.newBuilder().setEventId(eventId).build();
        var event = api.askOurs(ours -> ours.getEvent(request).getEvent());
        if (event.isEmpty()) return true;
        var status = event.get().getStatus();
        if (status != EventStatus.EVENT_FAILURE && status != EventStatus.EVENT_OUTDATED)
            return true;
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "event: %s ended as %s (expected: SUCCESS)%s"
                        .formatted(
                                eventId,
                                Printable.status(status),
                                event.get().getStatusDescription().isEmpty()
                                        ? ""
                                        : ": "
                                                + Printable.text(
                                                        event.get().getStatusDescription())),
                status == EventStatus.EVENT_OUTDATED
                        ? "A newer event of the same name and labels has taken its place."
                        : "See the agent's log for the cause.");
    }
}
