// SPDX-License-Identifier: Apache-2.0
package bench;

import bench.Callers.Call;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.ListApplicationsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/// The load of 64 agents, each with its own key, connection and running deployment, one call in flight each, over the
/// weighted mix of what agents ask. The callers share the machine with the server.
final class Mix {
    private static final int AGENTS = 64;
    private static final int APPLICATIONS = 200;
    private static final long WARM_UP = 10_000_000_000L;
    private static final long MEASURED = 20_000_000_000L;

    /// Until the JVM has compiled what is used most.
    private static final long COMPILED = 40_000_000_000L;

    private final Running running;

    Mix(Running running) {
        this.running = running;
    }

    void run(Report report) throws Exception {
        try (var callers = Callers.connect(running.port(), inParallel(AGENTS, this::agent))) {
            callers.load(AGENTS, WARM_UP);
            report(callers, report, "PipedService mix, 64 agents with a call in flight each", "≥ 5,000/s");
            callers.load(AGENTS, COMPILED);
            report(callers, report, "The same mix, a minute later", "");
        }
    }

    private static void report(Callers callers, Report report, String what, String goal) throws Exception {
        var began = System.nanoTime();
        var times = callers.load(AGENTS, MEASURED);
        var seconds = (System.nanoTime() - began) / 1e9;
        Arrays.sort(times);
        report.rate(what, times.length / seconds, goal, 26);
        report.rate("  beside the public system made to remember keys", times.length / seconds, "", 870);
        report.time("  of these the median", new double[] {Report.at(times, 0.5)}, "", 2_200);
        report.time("  of these the 99th percentile", new double[] {Report.at(times, 0.99)}, "", 4_000);
    }

    private Supplier<Call> agent(int number) {
        var round = round(number);
        // Each begins elsewhere in the round, so that no kind of call comes 64 times at once.
        var at = new AtomicInteger(number);
        return () -> round.get(at.getAndIncrement() % round.size());
    }

    private List<Call> round(int number) {
        var web = running.web();
        var registered = web.registerPiped(RegisterPipedRequest.newBuilder().setName("bench-" + number).build());
        var repository = ApplicationGitRepository.newBuilder().setId("r").setRemote("https://example.com/r.git").setBranch("main").build();
        var channel = running.channel();
        var token = "PIPED-TOKEN quickstart,%s,%s".formatted(registered.getId(), registered.getKey());
        var stub = PipedServiceGrpc.newBlockingStub(channel).withInterceptors(Stand.header("authorization", token));
        stub.reportPipedMeta(ReportPipedMetaRequest.newBuilder().setVersion("v0.1.0").setConfig("x").addRepositories(repository).build());
        var applications = new ArrayList<String>();
        for (var n = 0; n < APPLICATIONS; n++) {
            var path = ApplicationGitPath.newBuilder().setRepo(repository).setPath("applications/" + n).setConfigFilename("app.pipecd.yaml");
            var request = AddApplicationRequest.newBuilder().setName("app-" + n).setPipedId(registered.getId()).setGitPath(path).build();
            applications.add(web.addApplication(request).getApplicationId());
        }
        var deployment = deployment(registered.getId(), applications.getFirst(), repository);
        stub.createDeployment(CreateDeploymentRequest.newBuilder().setDeployment(deployment).build());
        channel.shutdownNow();
        return mix(token, applications.getFirst(), deployment);
    }

    private static List<Call> mix(String token, String application, Deployment deployment) {
        var now = System.currentTimeMillis() / 1000;
        var stats = ByteString.copyFromUtf8("metric{label=\"x\"} 1\n".repeat(430));
        var lines = ReportStageLogsFromLastCheckpointRequest.newBuilder().setDeploymentId(deployment.getId()).setStageId(deployment.getStages(0).getId());
        for (var line = 0; line < 20; line++) {
            lines.addBlocks(LogBlock.newBuilder().setIndex(line + 1).setLog("x".repeat(80)).setCreatedAt(now));
        }
        var state = ApplicationSyncState.newBuilder().setStatus(ApplicationSyncStatus.SYNCED).setTimestamp(now);
        var sync = ReportApplicationSyncStateRequest.newBuilder().setApplicationId(application).setState(state).build();
        var commands = call(PipedServiceGrpc.getListUnhandledCommandsMethod(), token, ListUnhandledCommandsRequest.getDefaultInstance());
        var deployments = call(PipedServiceGrpc.getListNotCompletedDeploymentsMethod(), token, ListNotCompletedDeploymentsRequest.getDefaultInstance());
        var logs = call(PipedServiceGrpc.getReportStageLogsFromLastCheckpointMethod(), token, lines.build());
        var mix = new ArrayList<Call>();
        for (var half = 0; half < 2; half++) {
            mix.addAll(Collections.nCopies(6, commands));
            mix.addAll(Collections.nCopies(3, deployments));
            mix.add(logs);
        }
        mix.add(4, call(PipedServiceGrpc.getListApplicationsMethod(), token, ListApplicationsRequest.getDefaultInstance()));
        mix.add(10, call(PipedServiceGrpc.getReportStatMethod(), token, ReportStatRequest.newBuilder().setPipedStats(stats).build()));
        mix.add(16, call(PipedServiceGrpc.getReportApplicationSyncStateMethod(), token, sync));
        return mix;
    }

    private static <Q extends MessageLite> Call call(MethodDescriptor<Q, ?> method, String token, Q message) {
        return new Callers.Method<>(method, token).with(message);
    }

    static Deployment deployment(String piped, String application, ApplicationGitRepository repository) {
        var now = System.currentTimeMillis() / 1000;
        var commit = Commit.newBuilder().setHash("0123456789abcdef").setMessage("Bench").setAuthor("bench").setBranch("main").setCreatedAt(now);
        return Deployment.newBuilder()
                .setId(UUID.randomUUID().toString())
                .setApplicationId(application)
                .setApplicationName("app-0")
                .setPipedId(piped)
                .setProjectId("quickstart")
                .setGitPath(ApplicationGitPath.newBuilder().setRepo(repository).setPath("applications/0"))
                .setTrigger(DeploymentTrigger.newBuilder().setCommit(commit).setTimestamp(now))
                .addStages(PipelineStage.newBuilder().setId("stage-0").setName("WAIT").setCreatedAt(now).setUpdatedAt(now))
                .setCreatedAt(now)
                .setUpdatedAt(now)
                .build();
    }

    @FunctionalInterface
    interface Job<T> {
        T run(int index) throws Exception;
    }

    static <T> List<T> inParallel(int count, Job<T> job) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = new ArrayList<Future<T>>();
            for (var index = 0; index < count; index++) {
                var at = index;
                futures.add(threads.submit(() -> job.run(at)));
            }
            var results = new ArrayList<T>();
            for (var future : futures) results.add(future.get());
            return results;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
