// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.EachInTurn;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Draft;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig.WatchedRepository;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.piped.ReportEventStatusesRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// An event watcher on a real repository, and the control plane it asks and tells.
final class EventStand {
    static final RepositoryId DEMO = new RepositoryId("demo");

    /// Another one, looked at first; not fetched before a test does it.
    static final RepositoryId NEXT = new RepositoryId("next");

    static final Instant NOW = Instant.parse("2026-11-16T10:00:00Z");
    static final String DEPLOY = "# ours\nimage: site:v1 # by events\nreplicas: 2\n";

    private final Path directory;
    final RegisteredInMemory registered = new RegisteredInMemory();
    final RecordingControlPlane controlPlane = new RecordingControlPlane();
    final List<RepositoryId> pushed = new CopyOnWriteArrayList<>();
    final GitRemote remote;
    final GitRemote next;
    private Ledger ledger;
    Outbox outbox;
    Repositories repositories;
    private final Applications applications;
    Instant now = NOW;

    /// By how much the clock was set since the start: time that did not pass.
    Duration set = Duration.ZERO;

    EventWatcher watcher;

    EventStand(Path directory) throws Exception {
        this.directory = directory;
        remote = GitRemote.init(directory.resolve("remote"));
        // Pushes go to the branch that is checked out here.
        remote.git("config", "receive.denyCurrentBranch", "updateInstead");
        next = GitRemote.init(directory.resolve("next"));
        applications = new Applications(directory.resolve("applications"));
        applications.refresh(List.of(application("site"), application("other")));
        open();
    }

    void open() throws Exception {
        ledger = Ledger.open(directory.resolve("journal"));
        outbox = new Outbox(ledger, controlPlane, () -> now);
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(
                                new Repository(NEXT, next.address(), "main"),
                                new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        () -> now);
        watcher = watcher(List.of());
    }

    EventWatcher watcher(List<WatchedRepository> settings) {
        return new EventWatcher(
                        registered,
                        outbox,
                        repositories,
                        List.of(NEXT, DEMO),
                        new Definitions(
                                repositories,
                                new ApplicationFiles(repositories),
                                applications,
                                settings),
                        new Updates(
                                repositories,
                                new Draft.Author("bot", "bot@example.com"),
                                () -> now,
                                pushed::add),
                        new StandMachine())
                .after(ledger);
    }

    void stop() throws Exception {
        repositories.close();
        outbox.close();
        ledger.close();
    }

    void begin(String config) {
        remote.write("site/app.pipecd.yaml", config)
                .write("site/deploy.yaml", DEPLOY)
                .commit("Begin");
        repositories.fetch(DEMO);
    }

    static String site(String handler) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: Application
        spec:
          name: site
          eventWatcher:
            - matcher: {name: image}
              handler:
                type: GIT_UPDATE
                config:
                  %s
                  replacements:
                    - file: deploy.yaml
                      yamlField: $.image
        """
                .formatted(handler);
    }

    static Event event(String id, String data, int secondsAgo) {
        return Event.newBuilder()
                .setId(id)
                .setName("image")
                .setData(data)
                .setCreatedAt(NOW.getEpochSecond() - secondsAgo)
                .build();
    }

    private static Application application(String path) {
        return Application.newBuilder()
                .setId(path)
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId(DEMO.value()))
                                .setPath(path)
                                .setConfigFilename("app.pipecd.yaml"))
                .build();
    }

    String deployed() {
        return remote.git("show", "main:site/deploy.yaml");
    }

    int commits() {
        return Integer.parseInt(remote.git("rev-list", "--count", "main"));
    }

    EventStatus ended(String event) {
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.ended.containsKey(event));
        return controlPlane.ended.getOrDefault(event, EventStatus.UNRECOGNIZED);
    }

    /// Goes by the stand's clock, and knows when that was set.
    private final class StandMachine implements Machine {
        private final Machine real = Machine.of(InstantSource.system());

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public Duration uptime() {
            return Duration.between(NOW, now).minus(set);
        }

        @Override
        public Thread start(String name, Runnable work) {
            return real.start(name, work);
        }

        @Override
        public Bell bell() {
            return real.bell();
        }
    }

    /// Knows of every report, as the control plane would.
    static final class RecordingControlPlane implements EachInTurn {
        final Map<String, EventStatus> ended = new java.util.concurrent.ConcurrentHashMap<>();
        final Map<String, String> texts = new java.util.concurrent.ConcurrentHashMap<>();
        volatile boolean away;

        @Override
        public Outbox.Answer send(String call, byte[] body) {
            if (away) return new Outbox.Answer.ComeAgain("away");
            assertThat(call).isEqualTo("ReportEventStatuses");
            try {
                for (var event : ReportEventStatusesRequest.parseFrom(body).getEventsList()) {
                    texts.put(event.getId(), event.getStatusDescription());
                    ended.put(event.getId(), event.getStatus());
                }
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
            return new Outbox.Answer.Taken();
        }
    }

    static final class RegisteredInMemory implements EventWatcher.Registered {
        private final List<Event> pending = new ArrayList<>();
        private final List<Event> handled = new ArrayList<>();
        boolean refusesAll;

        void add(Event event) {
            pending.add(event);
        }

        void handledElsewhere(Event event) {
            handled.add(event);
        }

        @Override
        public List<Event> pending(Instant since) {
            if (refusesAll && since.equals(Instant.EPOCH))
                throw new Problem(Problem.Code.REQUEST_INVALID, "too many events", "");
            return pending.stream()
                    .filter(event -> event.getCreatedAt() >= since.getEpochSecond())
                    .sorted(Comparator.comparingLong(Event::getCreatedAt).reversed())
                    .toList();
        }

        @Override
        public Optional<Event> latest(String name, Map<String, String> labels) {
            var all = new ArrayList<>(pending);
            all.addAll(handled);
            return all.stream()
                    .filter(e -> e.getName().equals(name) && e.getLabelsMap().equals(labels))
                    .max(Comparator.comparingLong(Event::getCreatedAt));
        }
    }
}
