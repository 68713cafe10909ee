// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.model.Deployment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/// The list of deployments as a control plane gives it: what changed last first, page by page.
final class FakeDeploymentList implements Function<ListDeploymentsRequest, Object> {
    private final List<Deployment> deployments = new ArrayList<>();

    void add(String id, String commit, long createdAt, long updatedAt) {
        deployments.add(
                Deployment.newBuilder()
                        .setId(id)
                        .setApplicationId("a1")
                        .setDeploymentTraceCommitHash(commit)
                        .setCreatedAt(createdAt)
                        .setUpdatedAt(updatedAt)
                        .build());
    }

    void addMany(int count, long at) {
        for (var i = 0; i < count; i++) add("x" + deployments.size(), "another", at, at);
    }

    void change(String id, long at) {
        deployments.replaceAll(
                each -> each.getId().equals(id) ? each.toBuilder().setUpdatedAt(at).build() : each);
    }

    @Override
    public Object apply(ListDeploymentsRequest request) {
        var from = request.getCursor().isEmpty() ? 0 : Integer.parseInt(request.getCursor());
        var page =
                deployments.stream()
                        .sorted(
                                Comparator.comparing(Deployment::getUpdatedAt)
                                        .reversed()
                                        .thenComparing(Deployment::getId))
                        .skip(from)
                        .limit(request.getLimit())
                        .toList();
        return ListDeploymentsResponse.newBuilder()
                .addAllDeployments(page)
                .setCursor(page.isEmpty() ? "" : String.valueOf(from + page.size()))
                .build();
    }
}
