// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.model.Deployment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The deployments of an application or of the whole project that have begun since shortly before
/// the first look, however many others change meanwhile. What is recent is told by the times in the
/// list, the last change first: the clock here may be wrong.
final class RecentDeployments {
    private static final int PAGE = 50;

    /// By how much the clocks of control plane and agents may differ.
    private static final long AGENTS = Duration.ofHours(1).toSeconds();

    /// By how much those of several servers of one control plane may.
    private static final long SERVERS = Duration.ofMinutes(1).toSeconds();

    private final ApiConnection api;
    private final ListDeploymentsRequest request;
    private boolean looked;
    private long begin;
    private long newest;

    private RecentDeployments(ApiConnection api, ListDeploymentsRequest request) {
        this.api = api;
        this.request = request;
    }

    static RecentDeployments ofProject(ApiConnection api) {
        return new RecentDeployments(api, ListDeploymentsRequest.getDefaultInstance());
    }

    /// One at a time: the public control plane looks at the first of several only.
    static RecentDeployments ofApplication(ApiConnection api, String id) {
        return new RecentDeployments(
                api, ListDeploymentsRequest.newBuilder().addApplicationIds(id).build());
    }

    /// Those that have changed since this was asked last, and maybe some more.
    List<Deployment> changed() {
        var found = new ArrayList<Deployment>();
        var from = newest - SERVERS;
        var cursor = "";
        do {
            var page = page(cursor);
            found.addAll(page.getDeploymentsList());
            if (!looked && cursor.isEmpty()) {
                begin = found.isEmpty() ? 0 : found.getFirst().getUpdatedAt() - AGENTS;
                from = begin;
            }
            // a cursor that does not move would be followed for ever
            var moves = page.getDeploymentsCount() > 0 && !page.getCursor().equals(cursor);
            cursor = moves ? page.getCursor() : "";
        } while (!cursor.isEmpty() && found.getLast().getUpdatedAt() >= from);
        // Not before all pages are here: who lost the connection has seen nothing.
        looked = true;
        for (var each : found) newest = Math.max(newest, each.getUpdatedAt());
        return found.stream().filter(each -> each.getCreatedAt() >= begin).toList();
    }

    private ListDeploymentsResponse page(String cursor) {
        var page = request.toBuilder().setLimit(PAGE).setCursor(cursor).build();
        return api.ask(stub -> stub.listDeployments(page));
    }
}
