// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.application;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.connect.Pages;
import dev.pipecd.cli.follow.ListWatch;
import dev.pipecd.cli.show.Details;
import dev.pipecd.cli.show.OutputFormat;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Table;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Shows applications.
final class Applications {
    private final ApiConnection api;
    private final Terminal terminal;

    Applications(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    record Query(
            String name,
            String kind,
            String pipedId,
            boolean disabled,
            Map<String, String> labels,
            int limit,
            String cursor) {}

    void list(Query query, OutputFormat format) {
        var pages = pages(api, query);
        var found = pages.found();
        if (format.forPrograms()) terminal.out().println(format.of(answer(pages)));
        else if (found.isEmpty()) terminal.progress("No application matches.");
        else table(found).print(terminal.out());
        terminal.moreAt(pages.cursor());
    }

    void watch(Query query) throws InterruptedException {
        new ListWatch(api, terminal).run(a -> table(pages(a, query).found()));
    }

    private static Pages<Application> pages(ApiConnection api, Query query) {
        return Pages.read(
                query.limit(),
                query.cursor(),
                (limit, cursor) -> {
                    var request = request(query, limit, cursor);
                    var page = api.ask(stub -> stub.listApplications(request));
                    return new Pages<>(page.getApplicationsList(), page.getCursor());
                });
    }

    /// All pages as one, in the form of the public answer.
    private static ListApplicationsResponse answer(Pages<Application> pages) {
        return ListApplicationsResponse.newBuilder()
                .addAllApplications(pages.found())
                .setCursor(pages.cursor())
                .build();
    }

    private static ListApplicationsRequest request(Query query, int limit, String cursor) {
        return ListApplicationsRequest.newBuilder()
                .setName(query.name())
                .setKind(query.kind())
                .setPipedId(query.pipedId())
                .setDisabled(query.disabled())
                .putAllLabels(query.labels())
                .setLimit(limit)
                .setCursor(cursor)
                .build();
    }

    private static Table table(List<Application> found) {
        return new Table(
                List.of("ID", "NAME", "STATUS", "LATEST DEPLOYMENT", "TRIGGERED"),
                found.stream().map(Applications::row).toList());
    }

    private static List<String> row(Application application) {
        var latest = application.getMostRecentlyTriggeredDeployment();
        return List.of(
                Printable.text(application.getId()),
                Printable.text(application.getName()),
                status(application),
                Printable.text(latest.getDeploymentId()),
                Printable.time(latest.getTrigger().getTimestamp()));
    }

    private static String status(Application application) {
        if (application.getDeleted()) return "DELETED";
        if (application.getDisabled()) return "DISABLED";
        return application.getDeploying()
                ? "DEPLOYING"
                : application.getSyncState().getStatus().name();
    }

    void get(String id, OutputFormat format) {
        var application =
                api.ask(stub ->
                                stub.getApplication(
                                        GetApplicationRequest.newBuilder()
                                                .setApplicationId(id)
                                                .build()))
                        .getApplication();
        if (format.forPrograms()) terminal.out().println(format.of(application));
        else details(application).print(terminal.out());
    }

    private static Details details(Application application) {
        var path = application.getGitPath();
        var state = application.getSyncState();
        return new Details()
                .line("ID", application.getId())
                .line("Name", application.getName())
                .line("Description", application.getDescription())
                .line("Status", status(application))
                .line("Reason", state.getShortReason())
                .line("Checked", Printable.time(state.getTimestamp()))
                .line("Agent", application.getPipedId())
                .line("Project", application.getProjectId())
                .line("Repository", path.getRepo().getId())
                .line("Branch", path.getRepo().getBranch())
                .line("Directory", path.getPath())
                .line("Config file", path.getConfigFilename())
                .line("Deploy targets", targets(application))
                .line("Labels", labels(application.getLabelsMap()))
                .line("Latest deployment", told(application.getMostRecentlyTriggeredDeployment()))
                .line("Last successful", told(application.getMostRecentlySuccessfulDeployment()))
                .line("Created", Printable.time(application.getCreatedAt()))
                .line("Updated", Printable.time(application.getUpdatedAt()));
    }

    private static String targets(Application application) {
        return application.getDeployTargetsByPluginMap().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each ->
                        each.getKey()
                                + ": "
                                + String.join(", ", each.getValue().getDeployTargetsList()))
                .collect(Collectors.joining("; "));
    }

    private static String labels(Map<String, String> labels) {
        return labels.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> each.getKey() + ":" + each.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String told(ApplicationDeploymentReference deployment) {
        if (deployment.getDeploymentId().isEmpty()) return "";
        return deployment.getDeploymentId()
                + " at "
                + Printable.time(deployment.getTrigger().getTimestamp());
    }
}
