// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.EachInTurn;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/// A trigger on a real repository, and what it opened and told.
final class TriggerStand implements AutoCloseable {
    static final RepositoryId DEMO = new RepositoryId("demo");
    static final String VALID =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: site
              pipeline:
                stages:
                  - name: WAIT
                    with: {duration: 1s}
            """;

    final List<Deployment> opened = new CopyOnWriteArrayList<>();
    final List<List<String>> calls = new CopyOnWriteArrayList<>();
    final List<byte[]> chains = new CopyOnWriteArrayList<>();
    final Map<String, Deployment> ended = new ConcurrentHashMap<>();
    final List<DeploymentId> asked = new CopyOnWriteArrayList<>();
    final List<Event> told = new CopyOnWriteArrayList<>();
    final RecordingControlPlane controlPlane = new RecordingControlPlane();
    volatile Duration ahead = Duration.ZERO;

    /// Whether this agent is the one that acts under its id.
    volatile boolean acting = true;

    /// So many deployments are opened.
    volatile int room = 1_000;

    final GitRemote remote;
    private final Ledger ledger;
    final Outbox outbox;
    private final Repositories repositories;
    final WatchedHistory history;
    private final InstantSource clock;
    private final Path home;
    Applications applications;
    Trigger trigger;

    private TriggerStand(Path directory) throws Exception {
        remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        InstantSource clock = () -> InstantSource.system().instant().plus(ahead);
        ledger = Ledger.open(directory.resolve("journal"));
        outbox = new Outbox(ledger, controlPlane, clock);
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        clock);
        history = new WatchedHistory(repositories);
        home = directory;
        applications = known();
        applications.refresh(List.of(application("site")));
        this.clock = clock;
        trigger = trigger();
    }

    private Trigger trigger() {
        return new Trigger(
                history,
                new ApplicationFiles(history),
                applications,
                outbox,
                new Opening(() -> UUID.randomUUID().toString(), new Hurried(clock), List.of())
                        .with(
                                history,
                                applications,
                                this::open,
                                () -> Math.max(0, room - opened.size())),
                told::add,
                this::ask);
    }

    private Optional<Deployment> ask(DeploymentId id) {
        asked.add(id);
        return Optional.ofNullable(ended.get(id.value()));
    }

    private Applications known() {
        return new Applications(home.resolve("applications"));
    }

    /// What is not on the disk is gone.
    void restart() {
        applications = known();
        trigger = trigger();
    }

    static TriggerStand open(Path directory) throws Exception {
        return new TriggerStand(directory);
    }

    private boolean open(Deployment deployment, List<Report> reports) {
        if (!acting) return false;
        opened.add(deployment);
        calls.add(reports.stream().map(Report::call).toList());
        if (reports.getFirst().call().equals("CreateDeploymentChain"))
            chains.add(reports.getFirst().body());
        return true;
    }

    static Map<String, String> marks(Deployment deployment) {
        return deployment.getMetadataV2().getShared().getKeyValuesMap();
    }

    static Command sync(String application) {
        return Command.newBuilder()
                .setId("c1")
                .setApplicationId(application)
                .setCommander("ann")
                .setType(Command.Type.SYNC_APPLICATION)
                .build();
    }

    static Application application(String id) {
        return Application.newBuilder()
                .setId(id)
                .setName("site")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                .setPath("site")
                                .setConfigFilename("app.pipecd.yaml"))
                .build();
    }

    @Override
    public void close() throws Exception {
        repositories.close();
        outbox.close();
        ledger.close();
    }

    /// A machine on which nobody waits in vain: who would wait for nothing but time goes on at
    /// once.
    private record Hurried(InstantSource clock) implements Machine {
        @Override
        public Instant instant() {
            return clock.instant();
        }

        @Override
        public Duration uptime() {
            return Machine.of(clock).uptime();
        }

        @Override
        public Thread start(String name, Runnable work) {
            return Machine.of(clock).start(name, work);
        }

        @Override
        public Bell bell() {
            var bell = Machine.of(clock).bell();
            return new Bell() {
                @Override
                public void ring() {
                    bell.ring();
                }

                @Override
                public boolean await(BooleanSupplier come, Duration atMost)
                        throws InterruptedException {
                    return atMost.compareTo(Duration.ofMinutes(1)) < 0
                            ? come.getAsBoolean()
                            : bell.await(come, atMost);
                }
            };
        }
    }

    static final class RecordingControlPlane implements EachInTurn {
        final List<ApplicationSyncState> states = new CopyOnWriteArrayList<>();
        final List<ReportCommandHandledRequest> handled = new CopyOnWriteArrayList<>();

        @Override
        public Outbox.Answer send(String call, byte[] body) {
            try {
                if (call.equals("ReportApplicationSyncState"))
                    states.add(ReportApplicationSyncStateRequest.parseFrom(body).getState());
                if (call.equals("ReportCommandHandled"))
                    handled.add(ReportCommandHandledRequest.parseFrom(body));
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                return new Outbox.Answer.Refused("not a message: " + e.getMessage());
            }
            return new Outbox.Answer.Taken();
        }
    }
}
