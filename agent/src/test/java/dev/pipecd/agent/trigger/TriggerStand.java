// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.EachInTurn;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
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
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

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
    final List<Event> told = new CopyOnWriteArrayList<>();
    final RecordingControlPlane controlPlane = new RecordingControlPlane();
    volatile Duration ahead = Duration.ZERO;
    final GitRemote remote;
    private final Ledger ledger;
    final Outbox outbox;
    private final Repositories repositories;
    private final InstantSource clock;
    final Applications applications;
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
        applications = new Applications(directory.resolve("applications"));
        applications.refresh(List.of(application("site")));
        this.clock = clock;
        trigger = trigger();
    }

    private Trigger trigger() {
        return new Trigger(
                repositories,
                new ApplicationFiles(repositories),
                applications,
                outbox,
                new Opening(() -> UUID.randomUUID().toString(), clock, List.of())
                        .with(repositories, applications, this::open),
                told::add,
                id -> Optional.ofNullable(ended.get(id.value())));
    }

    /// As after a restart: what a trigger remembers is gone.
    void restart() {
        trigger = trigger();
    }

    static TriggerStand open(Path directory) throws Exception {
        return new TriggerStand(directory);
    }

    private void open(Deployment deployment, List<Report> reports) {
        opened.add(deployment);
        calls.add(reports.stream().map(Report::call).toList());
        if (reports.getFirst().call().equals("CreateDeploymentChain"))
            chains.add(reports.getFirst().body());
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
