// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.task;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.model.Deployment;
import java.util.List;
import java.util.Map;

/// `pipectl deployment list`.
public final class Deployments {
    private final ApiConnection api;
    private final Terminal terminal;

    public Deployments(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    public record Query(
            List<String> statuses,
            List<String> applicationIds,
            List<String> kinds,
            String applicationName,
            Map<String, String> labels,
            int limit,
            String cursor) {}

    public void list(Query query, OutputFormat format) {
        var answer =
                api.ask(stub ->
                        stub.listDeployments(
                                ListDeploymentsRequest.newBuilder()
                                        .addAllStatuses(query.statuses())
                                        .addAllApplicationIds(query.applicationIds())
                                        .addAllKinds(query.kinds())
                                        .setApplicationName(query.applicationName())
                                        .putAllLabels(query.labels())
                                        .setLimit(query.limit())
                                        .setCursor(query.cursor())
                                        .build()));
        var found = answer.getDeploymentsList();
        if (format == OutputFormat.JSON) terminal.out().println(Json.of(found));
        else if (found.isEmpty()) terminal.progress("No deployment matches.");
        else table(found).print(terminal.out());
        terminal.moreAt(answer.getCursor(), found.size(), query.limit());
    }

    private static Table table(List<Deployment> found) {
        return new Table(
                List.of("ID", "APPLICATION", "STATUS", "COMMIT", "CREATED", "SUMMARY"),
                found.stream().map(Deployments::row).toList());
    }

    private static List<String> row(Deployment deployment) {
        return List.of(
                Printable.text(deployment.getId()),
                Printable.text(deployment.getApplicationName()),
                Printable.status(deployment.getStatus()),
                brief(Printable.text(deployment.getTrigger().getCommit().getHash())),
                Printable.time(deployment.getCreatedAt()),
                Printable.text(deployment.getSummary()));
    }

    private static String brief(String hash) {
        return hash.length() > 7 ? hash.substring(0, 7) : hash;
    }
}
