// SPDX-License-Identifier: Apache-2.0
package bench;

import bench.Callers.Call;
import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationLiveStateVersion;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.*;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import io.grpc.MethodDescriptor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

/// The calls of 16 agents in the public mix, by workers with a connection and a running deployment each, one call in flight each.
final class AgentMix {
    private static final int AGENTS = 16;
    private static final int APPLICATIONS = 20;
    private static final long MEASURED = 15_000_000_000L;

    /// What the calls before have left to be done, lines on their way to the bucket above all, is over by then.
    private static final long SETTLING = 12_000_000_000L;

    /// Calls a second, median and 99th percentile in milliseconds of the public server as it is, and with its bcrypt remembered.
    private record Public(int inFlight, double rate, double p50, double p99, double remembered) {}

    private static final List<Public> PUBLIC =
            List.of(new Public(1, 16, 62, 83, 590), new Public(16, 27, 500, 1_150, 995), new Public(64, 26, 2_200, 4_000, 870));

    private final Stand stand;
    private final String storage;

    AgentMix(Stand stand, String storage) {
        this.stand = stand;
        this.storage = storage;
    }

    void run(Report report) throws Exception {
        try (var callers = Callers.connect(stand.port(), workers(64))) {
            run(callers, report);
        }
    }

    private void run(Callers callers, Report report) throws Exception {
        callers.load(64, Bench.warmUp());
        for (var theirs : PUBLIC) {
            callers.load(theirs.inFlight(), SETTLING);
            var cpu = stand.cpu();
            var began = System.nanoTime();
            var times = callers.load(theirs.inFlight(), MEASURED);
            var rate = times.length / ((System.nanoTime() - began) / 1e9);
            cpu = (stand.cpu() - cpu) / times.length;
            Arrays.sort(times);
            var goal = theirs.inFlight() == 64 ? "p99 < 100 ms" : "";
            report.row(
                    "Mix on %s, %d in flight".formatted(storage, theirs.inFlight()),
                    "%,.0f/s, p50 %.1f ms, p99 %.0f ms, %.2f ms CPU a call".formatted(rate, Report.at(times, 0.5), Report.at(times, 0.99), cpu),
                    "≥ 100×, ≥ 2×" + (goal.isEmpty() ? "" : ", " + goal),
                    "%.0f/s, p50 %,.0f ms, p99 %,.0f ms; remembered %.0f/s".formatted(theirs.rate(), theirs.p50(), theirs.p99(), theirs.remembered()),
                    "%,.0f×; %.1f×".formatted(rate / theirs.rate(), rate / theirs.remembered()));
        }
        report.memory("  server's memory at its highest", stand.resident("VmHWM"), "≤ 250 MB", 59);
    }

    List<Worker> workers(int count) throws Exception {
        var agents = InParallel.all(AGENTS, this::agent);
        return InParallel.all(count, index -> new Worker(agents.get(index % AGENTS), stand, index));
    }

    private record Agent(String id, String token, ApplicationGitRepository repository, List<String> applications) {}

    private Agent agent(int number) {
        var registered = stand.web().registerPiped(RegisterPipedRequest.newBuilder().setName("bench-" + number).build());
        var repository = ApplicationGitRepository.newBuilder().setId("r").setRemote("https://example.com/r.git").setBranch("main").build();
        var token = "PIPED-TOKEN quickstart,%s,%s".formatted(registered.getId(), registered.getKey());
        var channel = stand.channel();
        PipedServiceGrpc.newBlockingStub(channel)
                .withInterceptors(Stand.header("authorization", token))
                .reportPipedMeta(ReportPipedMetaRequest.newBuilder().setVersion("v0.1.0").setConfig("x").addRepositories(repository).build());
        channel.shutdownNow();
        var applications = new ArrayList<String>();
        for (var n = 0; n < APPLICATIONS; n++) {
            var path = ApplicationGitPath.newBuilder().setRepo(repository).setPath("applications/" + n).setConfigFilename("app.pipecd.yaml");
            var request =
                    AddApplicationRequest.newBuilder()
                            .setName("app-" + n)
                            .setPipedId(registered.getId())
                            .setGitPath(path)
                            .putLabels("env", n % 2 == 0 ? "prod" : "dev")
                            .build();
            applications.add(stand.web().addApplication(request).getApplicationId());
        }
        return new Agent(registered.getId(), token, repository, applications);
    }

    private static Deployment deployment(String piped, String application, ApplicationGitRepository repository) {
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

    /// What one connection asks; it takes up where its last call left.
    static final class Worker implements Supplier<Call> {
        private static final long NOW = System.currentTimeMillis() / 1000;

        private final Agent agent;
        private final String application;
        private final Deployment deployment;
        private final String stage;
        private final List<Supplier<Call>> mix = new ArrayList<>();
        private final Deque<Call> first = new ArrayDeque<>();
        private int at;
        private int line;
        private int note;

        Worker(Agent agent, Stand stand, int number) {
            this.agent = agent;
            application = agent.applications().get(number / AGENTS % APPLICATIONS);
            deployment = deployment(agent.id(), application, agent.repository());
            stage = deployment.getStages(0).getId();
            var channel = stand.channel();
            var stub = PipedServiceGrpc.newBlockingStub(channel).withInterceptors(Stand.header("authorization", agent.token()));
            stub.createDeployment(CreateDeploymentRequest.newBuilder().setDeployment(deployment).build());
            stub.reportDeploymentPlanned(
                    ReportDeploymentPlannedRequest.newBuilder().setDeploymentId(deployment.getId()).addAllStages(deployment.getStagesList()).build());
            stub.reportDeploymentStatusChanged(
                    ReportDeploymentStatusChangedRequest.newBuilder()
                            .setDeploymentId(deployment.getId())
                            .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                            .build());
            var reference =
                    ApplicationDeploymentReference.newBuilder()
                            .setDeploymentId(deployment.getId())
                            .setTrigger(deployment.getTrigger())
                            .setStartedAt(NOW)
                            .build();
            stub.reportApplicationMostRecentDeployment(
                    ReportApplicationMostRecentDeploymentRequest.newBuilder()
                            .setApplicationId(application)
                            .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                            .setDeployment(reference)
                            .build());
            channel.shutdownNow();
            fill();
            // Each begins elsewhere, so that no kind of call comes 64 times at once.
            Collections.shuffle(mix, new Random(number));
        }

        private <Q extends MessageLite> void add(int weight, MethodDescriptor<Q, ?> method, Supplier<Q> message) {
            var called = method(method);
            mix.addAll(Collections.nCopies(weight, () -> called.with(message.get())));
        }

        private <Q extends MessageLite> Callers.Method<Q> method(MethodDescriptor<Q, ?> method) {
            return new Callers.Method<>(method, agent.token());
        }

        private void fill() {
            add(12, PipedServiceGrpc.getListUnhandledCommandsMethod(), ListUnhandledCommandsRequest::getDefaultInstance);
            add(6, PipedServiceGrpc.getListNotCompletedDeploymentsMethod(), ListNotCompletedDeploymentsRequest::getDefaultInstance);
            add(4, PipedServiceGrpc.getReportApplicationSyncStateMethod(), this::syncState);
            add(4, PipedServiceGrpc.getReportStageLogsMethod(), this::logs);
            add(2, PipedServiceGrpc.getListApplicationsMethod(), ListApplicationsRequest::getDefaultInstance);
            add(2, PipedServiceGrpc.getReportApplicationLiveStateMethod(), this::liveState);
            add(2, PipedServiceGrpc.getReportStageStatusChangedMethod(), this::running);
            add(1, PipedServiceGrpc.getListEventsMethod(), Worker::events);
            add(1, PipedServiceGrpc.getReportStatMethod(), () -> STAT);
            add(1, PipedServiceGrpc.getGetApplicationMostRecentDeploymentMethod(), this::mostRecent);
            add(1, PipedServiceGrpc.getGetDeploymentMethod(), GetDeploymentRequest.newBuilder().setId(deployment.getId())::build);
            add(1, PipedServiceGrpc.getReportStageLogsFromLastCheckpointMethod(), this::checkpoint);
            add(1, PipedServiceGrpc.getSaveStageMetadataMethod(), this::metadata);
            add(1, PipedServiceGrpc.getCreateDeploymentMethod(), this::create);
        }

        @Override
        public Call get() {
            var waiting = first.poll();
            return waiting != null ? waiting : mix.get(at++ % mix.size()).get();
        }

        private static ListEventsRequest events() {
            return ListEventsRequest.newBuilder().setFrom(NOW - 60).setStatus(ListEventsRequest.Status.NOT_HANDLED).build();
        }

        private static final ReportStatRequest STAT =
                ReportStatRequest.newBuilder().setPipedStats(ByteString.copyFromUtf8("metric{label=\"x\"} 1\n".repeat(430))).build();

        private ReportApplicationSyncStateRequest syncState() {
            var state = ApplicationSyncState.newBuilder().setStatus(ApplicationSyncStatus.SYNCED).setTimestamp(NOW + line);
            return ReportApplicationSyncStateRequest.newBuilder().setApplicationId(application).setState(state).build();
        }

        /// 20 lines of 80 bytes.
        private ReportStageLogsRequest logs() {
            return ReportStageLogsRequest.newBuilder().setDeploymentId(deployment.getId()).setStageId(stage).addAllBlocks(lines()).build();
        }

        /// Nothing but lines.
        Supplier<Call> onlyLogs() {
            var called = method(PipedServiceGrpc.getReportStageLogsMethod());
            return () -> called.with(logs());
        }

        private List<LogBlock> lines() {
            var before = line;
            line += 20;
            var lines = new ArrayList<LogBlock>();
            for (var n = 1; n <= 20; n++) {
                lines.add(LogBlock.newBuilder().setIndex(before + n).setLog("x".repeat(80)).setCreatedAt(NOW).build());
            }
            return lines;
        }

        private ReportStageLogsFromLastCheckpointRequest checkpoint() {
            return ReportStageLogsFromLastCheckpointRequest.newBuilder()
                    .setDeploymentId(deployment.getId())
                    .setStageId(stage)
                    .addAllBlocks(lines())
                    .build();
        }

        private ReportApplicationLiveStateRequest liveState() {
            return ReportApplicationLiveStateRequest.newBuilder()
                    .setSnapshot(
                            ApplicationLiveStateSnapshot.newBuilder()
                                    .setApplicationId(application)
                                    .setPipedId(agent.id())
                                    .setProjectId("quickstart")
                                    .setVersion(ApplicationLiveStateVersion.newBuilder().setTimestamp(NOW).setIndex(line))
                                    .setHealthStatus(ApplicationLiveStateSnapshot.Status.HEALTHY))
                    .build();
        }

        private ReportStageStatusChangedRequest running() {
            return ReportStageStatusChangedRequest.newBuilder()
                    .setDeploymentId(deployment.getId())
                    .setStageId(stage)
                    .setStatus(StageStatus.STAGE_RUNNING)
                    .setStatusReason("at " + note++) // or nothing would change
                    .setVisible(true)
                    .setCompletedAt(NOW)
                    .build();
        }

        private GetApplicationMostRecentDeploymentRequest mostRecent() {
            return GetApplicationMostRecentDeploymentRequest.newBuilder()
                    .setApplicationId(application)
                    .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                    .build();
        }

        private SaveStageMetadataRequest metadata() {
            return SaveStageMetadataRequest.newBuilder()
                    .setDeploymentId(deployment.getId())
                    .setStageId(stage)
                    .putMetadata("at", "" + note++)
                    .build();
        }

        /// Not counted: what was opened ends again, or an agent's list would grow for ever.
        private CreateDeploymentRequest create() {
            var opened = deployment(agent.id(), application, agent.repository());
            var end =
                    ReportDeploymentCompletedRequest.newBuilder()
                            .setDeploymentId(opened.getId())
                            .setStatus(DeploymentStatus.DEPLOYMENT_CANCELLED)
                            .setCompletedAt(NOW)
                            .build();
            first.add(method(PipedServiceGrpc.getReportDeploymentCompletedMethod()).with(end).uncounted());
            return CreateDeploymentRequest.newBuilder().setDeployment(opened).build();
        }
    }
}
