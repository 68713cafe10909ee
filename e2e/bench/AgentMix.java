// SPDX-License-Identifier: Apache-2.0
package bench;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationLiveStateVersion;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.*;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/// The calls of 16 agents in the public mix, by workers with a connection and a running deployment each, one call in flight each.
final class AgentMix {
    private static final int AGENTS = 16;
    private static final int APPLICATIONS = 20;
    private static final long WARM_UP = 10_000_000_000L;
    private static final long MEASURED = 15_000_000_000L;

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
        var workers = workers(64);
        load(workers, WARM_UP);
        for (var theirs : PUBLIC) {
            var some = workers.subList(0, theirs.inFlight());
            var cpu = stand.cpu();
            var began = System.nanoTime();
            var times = load(some, MEASURED);
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
        workers.forEach(Worker::close);
    }

    List<Worker> workers(int count) throws Exception {
        var agents = Mix.inParallel(AGENTS, this::agent);
        return Mix.inParallel(count, index -> new Worker(agents.get(index % AGENTS), stand, index));
    }

    double[] load(List<Worker> workers, long length) throws Exception {
        var end = System.nanoTime() + length;
        var all = Mix.inParallel(workers.size(), index -> workers.get(index).calls(end));
        return all.stream().flatMapToDouble(Arrays::stream).toArray();
    }

    private record Agent(String id, String key, ApplicationGitRepository repository, List<String> applications) {}

    private Agent agent(int number) {
        var registered = stand.web().registerPiped(RegisterPipedRequest.newBuilder().setName("bench-" + number).build());
        var repository = ApplicationGitRepository.newBuilder().setId("r").setRemote("https://example.com/r.git").setBranch("main").build();
        var channel = stand.channel();
        PipedServiceGrpc.newBlockingStub(channel)
                .withInterceptors(token(registered.getId(), registered.getKey()))
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
        return new Agent(registered.getId(), registered.getKey(), repository, applications);
    }

    private static io.grpc.ClientInterceptor token(String id, String key) {
        return Stand.header("authorization", "PIPED-TOKEN quickstart,%s,%s".formatted(id, key));
    }

    /// One connection with one call in flight.
    static final class Worker {
        private static final long NOW = System.currentTimeMillis() / 1000;

        private final io.grpc.ManagedChannel channel;
        private final PipedServiceGrpc.PipedServiceBlockingStub stub;
        private final Agent agent;
        private final String application;
        private final Deployment deployment;
        private final String stage;
        private final AtomicInteger line = new AtomicInteger();
        private final List<Callable<?>> mix = new ArrayList<>();

        Worker(Agent agent, Stand stand, int number) {
            this.agent = agent;
            application = agent.applications().get(number / AGENTS % APPLICATIONS);
            channel = stand.channel();
            stub = PipedServiceGrpc.newBlockingStub(channel).withInterceptors(token(agent.id(), agent.key()));
            deployment = Mix.deployment(agent.id(), application, agent.repository());
            stage = deployment.getStages(0).getId();
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
            fill();
            // Each begins elsewhere, so that no kind of call comes 64 times at once.
            Collections.shuffle(mix, new Random(number));
        }

        private void add(int weight, Callable<?> call) {
            for (var n = 0; n < weight; n++) mix.add(call);
        }

        private void fill() {
            add(12, () -> stub.listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance()));
            add(6, () -> stub.listNotCompletedDeployments(ListNotCompletedDeploymentsRequest.getDefaultInstance()));
            add(4, () -> stub.reportApplicationSyncState(syncState()));
            add(4, this::logs);
            add(2, () -> stub.listApplications(ListApplicationsRequest.getDefaultInstance()));
            add(2, () -> stub.reportApplicationLiveState(liveState()));
            add(2, () -> stub.reportStageStatusChanged(running()));
            add(1, () -> stub.listEvents(ListEventsRequest.newBuilder().setFrom(NOW - 60).setStatus(ListEventsRequest.Status.NOT_HANDLED).build()));
            add(1, () -> stub.reportStat(STAT));
            add(1, () -> stub.getApplicationMostRecentDeployment(mostRecent()));
            add(1, () -> stub.getDeployment(GetDeploymentRequest.newBuilder().setId(deployment.getId()).build()));
            add(1, () -> stub.reportStageLogsFromLastCheckpoint(checkpoint()));
            add(1, () -> stub.saveStageMetadata(metadata()));
            add(1, this::create);
        }

        private static final ReportStatRequest STAT =
                ReportStatRequest.newBuilder().setPipedStats(ByteString.copyFromUtf8("metric{label=\"x\"} 1\n".repeat(430))).build();

        private ReportApplicationSyncStateRequest syncState() {
            var state = ApplicationSyncState.newBuilder().setStatus(ApplicationSyncStatus.SYNCED).setTimestamp(NOW + line.get());
            return ReportApplicationSyncStateRequest.newBuilder().setApplicationId(application).setState(state).build();
        }

        /// 20 lines of 80 bytes.
        Object logs() {
            return stub.reportStageLogs(
                    ReportStageLogsRequest.newBuilder().setDeploymentId(deployment.getId()).setStageId(stage).addAllBlocks(lines()).build());
        }

        private List<LogBlock> lines() {
            var first = line.getAndAdd(20);
            var lines = new ArrayList<LogBlock>();
            for (var n = 1; n <= 20; n++) {
                lines.add(LogBlock.newBuilder().setIndex(first + n).setLog("x".repeat(80)).setCreatedAt(NOW).build());
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
                                    .setVersion(ApplicationLiveStateVersion.newBuilder().setTimestamp(NOW).setIndex(line.get()))
                                    .setHealthStatus(ApplicationLiveStateSnapshot.Status.HEALTHY))
                    .build();
        }

        private ReportStageStatusChangedRequest running() {
            return ReportStageStatusChangedRequest.newBuilder()
                    .setDeploymentId(deployment.getId())
                    .setStageId(stage)
                    .setStatus(StageStatus.STAGE_RUNNING)
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
                    .putMetadata("at", "" + line.get())
                    .build();
        }

        private Object create() {
            var opened = Mix.deployment(agent.id(), application, agent.repository());
            stub.createDeployment(CreateDeploymentRequest.newBuilder().setDeployment(opened).build());
            return opened.getId();
        }

        double[] calls(long end) throws Exception {
            var times = new double[1 << 17];
            var count = 0;
            for (var at = 0; System.nanoTime() < end && count < times.length; at++) {
                var began = System.nanoTime();
                var made = mix.get(at % mix.size()).call();
                times[count++] = Starts.since(began);
                // Not counted: what was opened ends again, or an agent's list would grow for ever.
                if (made instanceof String opened) end(opened);
            }
            return Arrays.copyOf(times, count);
        }

        private void end(String opened) {
            stub.reportDeploymentCompleted(
                    ReportDeploymentCompletedRequest.newBuilder()
                            .setDeploymentId(opened)
                            .setStatus(DeploymentStatus.DEPLOYMENT_CANCELLED)
                            .setCompletedAt(NOW)
                            .build());
        }

        void close() {
            channel.shutdownNow();
        }
    }
}
