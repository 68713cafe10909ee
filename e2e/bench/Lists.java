// SPDX-License-Identifier: Apache-2.0
package bench;

import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.InsightMetricsKind;
import dev.pipecd.wire.model.InsightResolution;
import dev.pipecd.wire.web.GetInsightApplicationCountRequest;
import dev.pipecd.wire.web.GetInsightDataRequest;
import dev.pipecd.wire.web.ListApplicationsRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.ListEventsRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/// The lists of a large installation, each with each of its filters, one call at a time.
final class Lists {
    private static final int ROUNDS = 40;
    private static final int PAGE = 50;

    private final Path dist;
    private final Path folder;
    private final int deployments;

    Lists(Path dist, Path folder, int deployments) {
        this.dist = dist;
        this.folder = folder;
        this.deployments = deployments;
    }

    void run(String engine, Report report) throws Exception {
        var place = Files.createDirectory(folder.resolve("lists-" + engine));
        try (var storage = Storage.of(engine, place)) {
            Stand.start(dist, place, storage).close(); // makes the tables
            var began = System.nanoTime();
            new Fleet(storage).write(Fleet.APPLICATIONS, deployments, Fleet.PIPEDS, Fleet.EVENTS);
            System.out.println("    %s filled in %.0f s".formatted(engine, Starts.since(began) / 1000));
            try (var stand = Stand.start(dist, place, storage)) {
                began = System.nanoTime();
                awaitLabels(storage);
                var rows = Fleet.APPLICATIONS + deployments + Fleet.EVENTS;
                report.row(
                        "Labels of %,d documents made searchable, %s".formatted(rows, storage.name()),
                        "%.0f s, while serving".formatted(Starts.since(began) / 1000), "", "", "");
                await(storage, "SELECT COUNT(*) FROM DeliverySumMark WHERE Complete = 1", 1);
                report.row(
                        "Figures of %,d deliveries summed up, %s".formatted(deployments, storage.name()),
                        "%.0f s, beside the labels, while serving".formatted(Starts.since(began) / 1000), "", "", "");
                measure(storage.name(), stand, report);
            }
        }
    }

    private static void awaitLabels(Storage storage) throws Exception {
        await(storage, "SELECT COUNT(*) FROM LabelMark WHERE CheckedAt > 0", 3);
    }

    private static void await(Storage storage, String count, int wanted) throws Exception {
        try (var connection = storage.connect(); var statement = connection.createStatement()) {
            while (true) {
                // Closed at once: an open look would keep SQLite from clearing its log.
                try (var rows = statement.executeQuery(count)) {
                    rows.next();
                    if (rows.getInt(1) == wanted) return;
                }
                Thread.sleep(200);
            }
        }
    }

    private void measure(String storage, Stand stand, Report report) throws Exception {
        var web = stand.web();
        report(storage, "applications (public API, pages of " + PAGE + ")", applications(stand.api()), report);
        report(storage, "applications (web UI, filtered)", filtered(web), report);
        report(storage, "deployments", deployments(web), report);
        report(storage, "events", events(web), report);
        report(storage, "figures of two years", figures(web), report);
        var list = ListPipedsRequest.newBuilder().setOptions(ListPipedsRequest.Options.newBuilder()).build();
        report(storage, "pipeds", Map.of("all", () -> web.listPipeds(list)), report);
        var whole = new double[5];
        for (var n = 0; n < whole.length; n++) whole[n] = time(() -> web.listApplications(ListApplicationsRequest.getDefaultInstance()));
        report.time("All %,d applications in one answer (web UI), %s".formatted(Fleet.APPLICATIONS * 9 / 10, storage), whole, "", Report.NOT_MEASURED);
    }

    private static void report(String storage, String what, Map<String, Callable<?>> lists, Report report) throws Exception {
        var worst = new String[] {""};
        var highest = 0.0;
        for (var list : lists.entrySet()) {
            for (var n = 0; n < 5; n++) list.getValue().call();
            var times = new double[ROUNDS];
            for (var n = 0; n < ROUNDS; n++) times[n] = time(list.getValue());
            Arrays.sort(times);
            System.out.println("    %s, %s: p50 %.1f ms, p95 %.1f ms".formatted(what, list.getKey(), Report.at(times, 0.5), Report.at(times, 0.95)));
            if (Report.at(times, 0.95) <= highest) continue;
            highest = Report.at(times, 0.95);
            worst[0] = list.getKey();
        }
        report.row(
                "List of %s, %s: slowest of %d filters".formatted(what, storage, lists.size()),
                "p95 %.0f ms (%s)".formatted(highest, worst[0]), "p95 < 200 ms", "", "");
    }

    private static double time(Callable<?> call) throws Exception {
        var began = System.nanoTime();
        call.call();
        return Starts.since(began);
    }

    private static Map<String, Callable<?>> applications(APIServiceGrpc.APIServiceBlockingStub api) {
        var first = dev.pipecd.wire.api.ListApplicationsRequest.newBuilder().setLimit(PAGE).build();
        var lists = new LinkedHashMap<String, Callable<?>>();
        lists.put("all", () -> api.listApplications(first));
        var next = first.toBuilder().setCursor(api.listApplications(first).getCursor()).build();
        lists.put("next page", () -> api.listApplications(next));
        lists.put("name", () -> api.listApplications(first.toBuilder().setName("app-4242").build()));
        lists.put("kind", () -> api.listApplications(first.toBuilder().setKind("ECS").build()));
        lists.put("disabled", () -> api.listApplications(first.toBuilder().setDisabled(true).build()));
        lists.put("piped", () -> api.listApplications(first.toBuilder().setPipedId(Fleet.piped(42)).build()));
        lists.put("usual label", () -> api.listApplications(first.toBuilder().putLabels("env", "prod").build()));
        lists.put("rare label", () -> api.listApplications(first.toBuilder().putLabels("service", "s77").build()));
        lists.put("unknown label", () -> api.listApplications(first.toBuilder().putLabels("no", "such").build()));
        return lists;
    }

    private static Map<String, Callable<?>> filtered(WebServiceGrpc.WebServiceBlockingStub web) {
        var lists = new LinkedHashMap<String, Callable<?>>();
        lists.put("name", () -> web.listApplications(request(o -> o.setName("app-4242"))));
        lists.put("out of sync", () -> web.listApplications(request(o -> o.addSyncStatuses(ApplicationSyncStatus.OUT_OF_SYNC))));
        lists.put("kind", () -> web.listApplications(request(o -> o.addKinds(ApplicationKind.ECS))));
        lists.put("piped", () -> web.listApplications(request(o -> o.setPipedId(Fleet.piped(42)))));
        lists.put("label of 1 %", () -> web.listApplications(request(o -> o.putLabels("team", "t7"))));
        lists.put("two labels", () -> web.listApplications(request(o -> o.putLabels("env", "prod").putLabels("service", "s77"))));
        return lists;
    }

    private static ListApplicationsRequest request(java.util.function.UnaryOperator<ListApplicationsRequest.Options.Builder> options) {
        return ListApplicationsRequest.newBuilder().setOptions(options.apply(ListApplicationsRequest.Options.newBuilder())).build();
    }

    private Map<String, Callable<?>> deployments(WebServiceGrpc.WebServiceBlockingStub web) {
        var lists = new LinkedHashMap<String, Callable<?>>();
        var first = page(o -> o);
        lists.put("all", () -> web.listDeployments(first));
        var next = first.toBuilder().setCursor(web.listDeployments(first).getCursor()).build();
        lists.put("next page", () -> web.listDeployments(next));
        var since = first.toBuilder().setPageMinUpdatedAt(Fleet.BEGAN + deployments - 10_000).build();
        lists.put("since", () -> web.listDeployments(since));
        lists.put("running", () -> web.listDeployments(page(o -> o.addStatuses(DeploymentStatus.DEPLOYMENT_RUNNING))));
        lists.put("failed", () -> web.listDeployments(page(o -> o.addStatuses(DeploymentStatus.DEPLOYMENT_FAILURE))));
        lists.put("cancelled", () -> web.listDeployments(page(o -> o.addStatuses(DeploymentStatus.DEPLOYMENT_CANCELLED))));
        lists.put("rolling back (none)", () -> web.listDeployments(page(o -> o.addStatuses(DeploymentStatus.DEPLOYMENT_ROLLING_BACK))));
        lists.put("rare kind", () -> web.listDeployments(page(o -> o.addKinds(ApplicationKind.ECS))));
        lists.put("unused kind", () -> web.listDeployments(page(o -> o.addKinds(ApplicationKind.CLOUDRUN))));
        lists.put("kind of other projects", () -> web.listDeployments(page(o -> o.addKinds(ApplicationKind.LAMBDA))));
        lists.put("application", () -> web.listDeployments(page(o -> o.addApplicationIds(Fleet.application(4242)))));
        lists.put("application's name", () -> web.listDeployments(page(o -> o.setApplicationName("app-4242"))));
        lists.put("usual label", () -> web.listDeployments(page(o -> o.putLabels("env", "prod"))));
        lists.put("label of 1 %", () -> web.listDeployments(page(o -> o.putLabels("team", "t7"))));
        lists.put("rare label", () -> web.listDeployments(page(o -> o.putLabels("service", "s77"))));
        lists.put("unknown label", () -> web.listDeployments(page(o -> o.putLabels("no", "such"))));
        lists.put("usual and rare label", () -> web.listDeployments(page(o -> o.putLabels("env", "prod").putLabels("service", "s78"))));
        lists.put("usual label, running", () ->
                web.listDeployments(page(o -> o.putLabels("env", "prod").addStatuses(DeploymentStatus.DEPLOYMENT_RUNNING))));
        lists.put("usual label, cancelled", () ->
                web.listDeployments(page(o -> o.putLabels("env", "prod").addStatuses(DeploymentStatus.DEPLOYMENT_CANCELLED))));
        return lists;
    }

    private static ListDeploymentsRequest page(java.util.function.UnaryOperator<ListDeploymentsRequest.Options.Builder> options) {
        return ListDeploymentsRequest.newBuilder().setOptions(options.apply(ListDeploymentsRequest.Options.newBuilder())).setPageSize(PAGE).build();
    }

    private static Map<String, Callable<?>> events(WebServiceGrpc.WebServiceBlockingStub web) {
        var lists = new LinkedHashMap<String, Callable<?>>();
        var first = eventPage(o -> o);
        lists.put("all", () -> web.listEvents(first));
        var next = first.toBuilder().setCursor(web.listEvents(first).getCursor()).build();
        lists.put("next page", () -> web.listEvents(next));
        lists.put("name", () -> web.listEvents(eventPage(o -> o.setName("image-42"))));
        lists.put("failed", () -> web.listEvents(eventPage(o -> o.addStatuses(EventStatus.EVENT_FAILURE))));
        lists.put("outdated (none)", () -> web.listEvents(eventPage(o -> o.addStatuses(EventStatus.EVENT_OUTDATED))));
        lists.put("usual label", () -> web.listEvents(eventPage(o -> o.putLabels("env", "prod"))));
        lists.put("rare label", () -> web.listEvents(eventPage(o -> o.putLabels("app", "app-42"))));
        lists.put("unknown label", () -> web.listEvents(eventPage(o -> o.putLabels("no", "such"))));
        lists.put("name and rare label", () -> web.listEvents(eventPage(o -> o.setName("image-42").putLabels("app", "app-42"))));
        return lists;
    }

    private static Map<String, Callable<?>> figures(WebServiceGrpc.WebServiceBlockingStub web) {
        var project =
                GetInsightDataRequest.newBuilder()
                        .setMetricsKind(InsightMetricsKind.DEPLOYMENT_FREQUENCY)
                        .setResolution(InsightResolution.DAILY)
                        .setRangeFrom(Fleet.BEGAN)
                        .setRangeTo(Fleet.BEGAN + Fleet.YEARS)
                        .build();
        var lists = new LinkedHashMap<String, Callable<?>>();
        lists.put("project", () -> web.getInsightData(project));
        lists.put("application", () -> web.getInsightData(project.toBuilder().setApplicationId(Fleet.application(4242)).build()));
        lists.put("usual label", () -> web.getInsightData(project.toBuilder().putLabels("env", "prod").build()));
        lists.put("rare label", () -> web.getInsightData(project.toBuilder().putLabels("service", "s77").build()));
        lists.put("two labels", () -> web.getInsightData(project.toBuilder().putLabels("env", "prod").putLabels("team", "t7").build()));
        lists.put("applications", () -> web.getInsightApplicationCount(GetInsightApplicationCountRequest.getDefaultInstance()));
        return lists;
    }

    private static ListEventsRequest eventPage(java.util.function.UnaryOperator<ListEventsRequest.Options.Builder> options) {
        return ListEventsRequest.newBuilder().setOptions(options.apply(ListEventsRequest.Options.newBuilder())).setPageSize(PAGE).build();
    }
}
