// SPDX-License-Identifier: Apache-2.0
package bench;

import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.ApproveStageRequest;
import dev.pipecd.wire.web.CancelDeploymentRequest;
import dev.pipecd.wire.web.GetDeploymentRequest;
import dev.pipecd.wire.web.GetStageLogRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Commits, watches, approves and cancels as a person would, and takes the time between.
final class Walk {
    private static final int ROUNDS = 7;
    private static final long LONGEST = 60_000_000_000L;
    private static final String PIPELINE = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: bench
              planner:
                alwaysUsePipeline: true
                autoRollback: false
              pipeline:
                stages:
                  - name: SCRIPT_RUN
                    with:
                      run: for i in 1 2 3 4 5 6 7 8 9 10; do echo "at $(date +%s%N) end"; sleep 0.1; done
                  - name: WAIT_APPROVAL
                    with:
                      approvers: [hello-pipecd]
                  - name: SCRIPT_RUN
                    with:
                      run: sleep 600
            """;

    private final Running running;
    private final WebServiceGrpc.WebServiceBlockingStub web;
    private final List<Double> created = new ArrayList<>();
    private final List<Double> started = new ArrayList<>();
    private final List<Double> approved = new ArrayList<>();
    private final List<Double> cancelled = new ArrayList<>();
    private final List<Double> lines = new ArrayList<>();

    Walk(Running running) {
        this.running = running;
        web = running.web();
    }

    void run(Report report) throws Exception {
        Files.createDirectories(running.repository().resolve("bench"));
        Files.writeString(running.repository().resolve("bench/app.pipecd.yaml"), PIPELINE);
        git("add", ".");
        git("commit", "-qm", "Add the benchmark's application");
        var application = register();
        // The deployment that a new application gets at once is the warm-up.
        var last = await(application, "");
        walk(last, System.nanoTime());
        List.of(created, started, approved, cancelled, lines).forEach(List::clear);
        for (var round = 1; round <= ROUNDS; round++) {
            Files.writeString(running.repository().resolve("bench/round"), round + "\n");
            git("add", ".");
            // The clock starts when Git has made the commit, as with a push.
            git("commit", "-qm", "Round " + round);
            var began = System.nanoTime();
            last = await(application, last.getId());
            created.add(Starts.since(began));
            walk(last, began);
        }
        report.time("Commit → deployment created", array(created), "< 1 s", 27_000);
        report.time("Commit → first stage running", array(started), "< 2 s", 47_000);
        report.time("Approve → next stage running", array(approved), "< 0.5 s", 10_000);
        report.time("Cancel → deployment cancelled", array(cancelled), "", 3_000);
        report.time("Log line written → read as the browser reads it", array(lines), "", Report.NOT_MEASURED);
    }

    private void walk(Deployment deployment, long began) throws Exception {
        var id = deployment.getId();
        awaitStage(id, 0);
        started.add(Starts.since(began));
        var first = deployment(id).getStages(0).getId();
        var reader = Thread.ofVirtual().start(() -> follow(id, first));
        awaitStage(id, 1);
        reader.interrupt();
        var approval = deployment(id).getStages(1).getId();
        var asked = System.nanoTime();
        web.approveStage(ApproveStageRequest.newBuilder().setDeploymentId(id).setStageId(approval).build());
        awaitStage(id, 2);
        approved.add(Starts.since(asked));
        asked = System.nanoTime();
        web.cancelDeployment(CancelDeploymentRequest.newBuilder().setDeploymentId(id).setForceNoRollback(true).build());
        awaitEnd(id);
        cancelled.add(Starts.since(asked));
    }

    /// What a browser does: listens for changes, and fetches the log when one is about it.
    private void follow(String deployment, String stage) {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        var request = HttpRequest.newBuilder(running.url("/changes")).header("cookie", running.cookie()).build();
        var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        try {
            http.send(request, HttpResponse.BodyHandlers.ofLines()).body().forEach(line -> {
                if (line.contains(stage)) read(deployment, stage, seen);
            });
        } catch (Exception e) {
            // The reader is interrupted when the stage has ended.
        } finally {
            http.shutdownNow();
        }
    }

    private void read(String deployment, String stage, Set<String> seen) {
        var request = GetStageLogRequest.newBuilder().setDeploymentId(deployment).setStageId(stage).build();
        for (var block : web.getStageLog(request).getBlocksList()) {
            var words = block.getLog().strip().split(" ");
            if (words.length == 3 && words[0].equals("at") && seen.add(block.getLog())) {
                var now = java.time.Instant.now();
                lines.add((now.getEpochSecond() * 1e9 + now.getNano() - Long.parseLong(words[1])) / 1e6);
            }
        }
    }

    private String register() {
        var piped = web.listPipeds(ListPipedsRequest.newBuilder().setOptions(ListPipedsRequest.Options.newBuilder()).build()).getPipeds(0);
        return web.addApplication(
                        AddApplicationRequest.newBuilder()
                                .setName("bench")
                                .setPipedId(piped.getId())
                                .setGitPath(
                                        ApplicationGitPath.newBuilder()
                                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                                .setPath("bench")
                                                .setConfigFilename("app.pipecd.yaml"))
                                .build())
                .getApplicationId();
    }

    /// The one after `last`. Lists go by whole seconds, so that of two in one second either may come first.
    private Deployment await(String application, String last) throws Exception {
        var options = ListDeploymentsRequest.Options.newBuilder().addApplicationIds(application);
        var request = ListDeploymentsRequest.newBuilder().setOptions(options).setPageSize(2).build();
        for (var end = System.nanoTime() + LONGEST; System.nanoTime() < end; Thread.sleep(2)) {
            for (var found : web.listDeployments(request).getDeploymentsList()) {
                if (!found.getId().equals(last) && found.getCompletedAt() == 0) return found;
            }
        }
        throw new IllegalStateException("No deployment came after \"%s\".".formatted(last));
    }

    private void awaitEnd(String id) throws Exception {
        for (var end = System.nanoTime() + LONGEST; System.nanoTime() < end; Thread.sleep(2)) {
            if (deployment(id).getCompletedAt() > 0) return;
        }
        throw new IllegalStateException("The deployment did not end: " + deployment(id));
    }

    /// Until it runs or has run: a look that comes late must not wait for ever.
    private void awaitStage(String id, int index) throws Exception {
        for (var end = System.nanoTime() + LONGEST; System.nanoTime() < end; Thread.sleep(2)) {
            var stages = deployment(id).getStagesList();
            if (stages.size() > index && stages.get(index).getStatus() != StageStatus.STAGE_NOT_STARTED_YET) return;
        }
        throw new IllegalStateException("Stage %d did not start: %s".formatted(index, deployment(id)));
    }

    private Deployment deployment(String id) {
        return web.getDeployment(GetDeploymentRequest.newBuilder().setDeploymentId(id).build()).getDeployment();
    }

    private void git(String... arguments) throws Exception {
        var command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).directory(running.repository().toFile()).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) throw new IllegalStateException(said);
    }

    private static double[] array(List<Double> times) {
        return times.isEmpty() ? new double[] {Double.NaN} : times.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
