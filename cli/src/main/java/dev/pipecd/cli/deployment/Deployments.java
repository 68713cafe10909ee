// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.connect.Pages;
import dev.pipecd.cli.follow.ListWatch;
import dev.pipecd.cli.follow.Stages;
import dev.pipecd.cli.follow.Track;
import dev.pipecd.cli.show.Details;
import dev.pipecd.cli.show.OutputFormat;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Table;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.model.Deployment;
import java.util.List;
import java.util.Map;

/// Shows deployments.
final class Deployments {
    private final ApiConnection api;
    private final Terminal terminal;

    Deployments(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    record Query(
            List<String> statuses,
            List<String> applicationIds,
            List<String> kinds,
            String applicationName,
            Map<String, String> labels,
            int limit,
            String cursor) {}

    void list(Query query, OutputFormat format) {
        var pages = pages(api, query);
        var found = pages.found();
        if (format.forPrograms()) terminal.out().println(format.of(answer(pages)));
        else if (found.isEmpty()) terminal.progress("No deployment matches.");
        else table(found).print(terminal.out());
        terminal.moreAt(pages.cursor());
    }

    void watch(Query query) throws InterruptedException {
        new ListWatch(api, terminal).run(a -> table(pages(a, query).found()));
    }

    private static Pages<Deployment> pages(ApiConnection api, Query query) {
        return Pages.read(
                query.limit(),
                query.cursor(),
                (limit, cursor) -> {
                    var request = request(query, limit, cursor);
                    var page = api.ask(stub -> stub.listDeployments(request));
                    return new Pages<>(page.getDeploymentsList(), page.getCursor());
                });
    }

    /// All pages as one, in the form of the public answer.
    private static ListDeploymentsResponse answer(Pages<Deployment> pages) {
        return ListDeploymentsResponse.newBuilder()
                .addAllDeployments(pages.found())
                .setCursor(pages.cursor())
                .build();
    }

    private static ListDeploymentsRequest request(Query query, int limit, String cursor) {
        return ListDeploymentsRequest.newBuilder()
                .addAllStatuses(query.statuses())
                .addAllApplicationIds(query.applicationIds())
                .addAllKinds(query.kinds())
                .setApplicationName(query.applicationName())
                .putAllLabels(query.labels())
                .setLimit(limit)
                .setCursor(cursor)
                .build();
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

    void get(String id, OutputFormat format) {
        var deployment = new Track(id).look(api);
        if (format.forPrograms()) terminal.out().println(format.of(deployment));
        else details(deployment).print(terminal.out());
    }

    private static Details details(Deployment deployment) {
        var trigger = deployment.getTrigger();
        var details =
                new Details()
                        .line("ID", deployment.getId())
                        .line("Application", deployment.getApplicationName())
                        .line("Status", Printable.status(deployment.getStatus()))
                        .line("Reason", deployment.getStatusReason())
                        .line("Summary", deployment.getSummary())
                        .line("Commit", trigger.getCommit().getHash())
                        .line("Message", trigger.getCommit().getMessage())
                        .line("Ordered by", trigger.getCommander())
                        .line("Agent", deployment.getPipedId())
                        .line("Created", Printable.time(deployment.getCreatedAt()))
                        .line("Ended", Printable.time(deployment.getCompletedAt()));
        for (var stage : Stages.inOrder(deployment))
            details.line("Stage " + stage.getId(), Stages.told(stage));
        return details;
    }

    private static String brief(String hash) {
        return hash.length() > 7 ? hash.substring(0, 7) : hash;
    }
}
