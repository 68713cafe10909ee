// SPDX-License-Identifier: Apache-2.0
package bench;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.piped.ListApplicationsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.web.RestartPipedRequest;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/// Agents that are all connected at once, each on a connection of its own with its stream and its usual reports, and a command to every one of them.
final class ManyAgents {
    private static final int AGENTS = 2_000;
    private static final int PEOPLE = 16;
    private static final long ROUND_SECONDS = 10;

    private final Path dist;
    private final Path folder;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final LongAdder calls = new LongAdder();
    private final LongAdder failures = new LongAdder();

    ManyAgents(Path dist, Path folder) {
        this.dist = dist;
        this.folder = folder;
    }

    void run(Report report) throws Exception {
        var place = Files.createDirectory(folder.resolve("agents"));
        try (var storage = Storage.of("sqlite", place)) {
            Stand.start(dist, place, storage).close();
            new Fleet(storage).write(AGENTS, 0, AGENTS, 0);
            try (var stand = Stand.start(dist, place, storage); var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var connecting = new Semaphore(32);
                var agents = InParallel.all(AGENTS, n -> {
                    connecting.acquire();
                    try {
                        return new Agent(stand, n);
                    } finally {
                        connecting.release();
                    }
                });
                for (var agent : agents) threads.submit(agent::report);
                TimeUnit.SECONDS.sleep(30);
                var cpu = stand.cpu();
                var before = calls.sum();
                TimeUnit.SECONDS.sleep(20);
                report.row(
                        "%,d agents connected and reporting, SQLite".formatted(AGENTS),
                        "%.0f calls/s, %.0f %% of a core, %d failed".formatted((calls.sum() - before) / 20.0, (stand.cpu() - cpu) / 200, failures.sum()),
                        "", "", "");
                var times = commands(stand, agents);
                Arrays.sort(times);
                report.row(
                        "  a command to each of them, order given to order received",
                        "p50 %.0f ms, p99 %.0f ms, last %.0f ms".formatted(Report.at(times, 0.5), Report.at(times, 0.99), times[times.length - 1]),
                        "p99 < 1 s", "", "");
                report.memory("  server's memory then (heap of 256 MB at most)", stand.resident("VmHWM"), "heap ≤ 512 MB", Report.NOT_MEASURED);
                stopped.set(true);
                agents.forEach(agent -> agent.channel.shutdownNow());
                threads.shutdownNow();
            }
        }
    }

    /// Given by people at once, as fast as they are taken.
    private static double[] commands(Stand stand, java.util.List<Agent> agents) throws Exception {
        var web = stand.web();
        InParallel.all(PEOPLE, person -> {
            for (var n = person; n < AGENTS; n += PEOPLE) {
                agents.get(n).ordered = System.nanoTime();
                web.restartPiped(RestartPipedRequest.newBuilder().setPipedId(Fleet.piped(n)).build());
            }
            return true;
        });
        var times = new double[AGENTS];
        for (var n = 0; n < AGENTS; n++) {
            var agent = agents.get(n);
            if (!agent.received.await(30, TimeUnit.SECONDS)) throw new IllegalStateException("agent " + n + " got no command");
            times[n] = (agent.receivedAt - agent.ordered) / 1e6;
        }
        return times;
    }

    private final class Agent implements StreamObserver<Signal> {
        private final ManagedChannel channel;
        private final PipedServiceGrpc.PipedServiceBlockingStub stub;
        private final String application;
        private final boolean ours;
        private final CountDownLatch up = new CountDownLatch(1);
        private final CountDownLatch received = new CountDownLatch(1);
        private volatile long ordered;
        private volatile long receivedAt;

        Agent(Stand stand, int number) throws Exception {
            channel = stand.channel();
            application = Fleet.application(number);
            ours = number % 10 != 9; // the others' applications are of another project
            var token = Stand.header("authorization", "PIPED-TOKEN quickstart,%s,%s".formatted(Fleet.piped(number), Fleet.pipedKey(number)));
            stub = PipedServiceGrpc.newBlockingStub(channel).withInterceptors(token);
            LinkServiceGrpc.newStub(channel).withInterceptors(token).watch(WatchRequest.getDefaultInstance(), this);
            if (!up.await(60, TimeUnit.SECONDS)) throw new IllegalStateException("agent %d got no link".formatted(number));
        }

        /// What an agent of ours sends while nothing happens, and more often than it does.
        void report() {
            try {
                Thread.sleep(ThreadLocalRandom.current().nextLong(ROUND_SECONDS * 1000));
                for (var round = 0; !stopped.get(); round++) {
                    call(() -> stub.listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance()));
                    call(() -> stub.listNotCompletedDeployments(ListNotCompletedDeploymentsRequest.getDefaultInstance()));
                    if (round % 6 == 0) {
                        call(() -> stub.listApplications(ListApplicationsRequest.getDefaultInstance()));
                        call(() -> stub.reportStat(ReportStatRequest.newBuilder().setPipedStats(ByteString.copyFrom(new byte[9_000])).build()));
                        if (ours) call(() -> stub.reportApplicationSyncState(syncState()));
                    }
                    Thread.sleep(ROUND_SECONDS * 1000);
                }
            } catch (InterruptedException e) {
                // The end.
            }
        }

        private void call(Runnable one) {
            try {
                one.run();
                calls.increment();
            } catch (RuntimeException e) {
                if (!stopped.get()) failures.increment();
            }
        }

        private ReportApplicationSyncStateRequest syncState() {
            var state = ApplicationSyncState.newBuilder().setStatus(ApplicationSyncStatus.SYNCED).setTimestamp(System.currentTimeMillis() / 1000);
            return ReportApplicationSyncStateRequest.newBuilder().setApplicationId(application).setState(state).build();
        }

        @Override
        public void onNext(Signal signal) {
            up.countDown();
            if (!signal.hasCommand()) return;
            receivedAt = System.nanoTime();
            received.countDown();
        }

        @Override
        public void onError(Throwable e) {
            if (!stopped.get()) failures.increment();
        }

        @Override
        public void onCompleted() {
            failures.increment();
        }
    }
}
