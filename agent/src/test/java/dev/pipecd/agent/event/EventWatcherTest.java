// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Draft;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig.WatchedRepository;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.piped.ReportEventStatusesRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EventWatcherTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");
    private static final Instant NOW = Instant.parse("2026-11-16T10:00:00Z");
    private static final String DEPLOY = "# ours\nimage: site:v1 # by events\nreplicas: 2\n";

    @TempDir Path directory;

    private final RegisteredInMemory registered = new RegisteredInMemory();
    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final List<RepositoryId> pushed = new CopyOnWriteArrayList<>();
    private GitRemote remote;
    private Ledger ledger;
    private Outbox outbox;
    private Repositories repositories;
    private Applications applications;
    private Instant now = NOW;
    private EventWatcher watcher;

    @BeforeEach
    void start() throws Exception {
        remote = GitRemote.init(directory.resolve("remote"));
        // Pushes go to the branch that is checked out here.
        remote.git("config", "receive.denyCurrentBranch", "updateInstead");
        applications = new Applications(directory.resolve("applications"));
        applications.refresh(List.of(application("site"), application("other")));
        open();
    }

    private void open() throws Exception {
        ledger = Ledger.open(directory.resolve("journal"));
        outbox = new Outbox(ledger, controlPlane, () -> now);
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        () -> now);
        watcher = watcher(List.of());
    }

    private EventWatcher watcher(List<WatchedRepository> settings) {
        return new EventWatcher(
                        registered,
                        outbox,
                        repositories,
                        List.of(DEMO),
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
                        () -> now)
                .after(ledger);
    }

    @AfterEach
    void stop() throws Exception {
        repositories.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void anEventBecomesACommitOfTheAgentAndTheRestOfTheFileStays() {
        begin(site(""));
        registered.add(
                event("e1", "site:v2", 0).toBuilder()
                        .putContexts("Zone", "eu\nwest")
                        .putContexts("App", "site")
                        .setTriggerCommitHash("cafe")
                        .build());

        watcher.look();

        assertThat(remote.git("show", "main:site/deploy.yaml"))
                .isEqualTo("# ours\nimage: site:v2 # by events\nreplicas: 2");
        assertThat(remote.git("log", "-1", "--format=%an <%ae> %cn %at %B"))
                .isEqualTo(
                        """
                        bot <bot@example.com> bot %d Replace values with "site:v2" set by Event "image"

                        App: site
                        Pipecd-Dev-Trace-Trigger-Commit-Hash: cafe
                        Zone: eu west\
                        """
                                .formatted(NOW.getEpochSecond()));
        assertThat(
                        remote.git(
                                "log",
                                "-1",
                                "--format=%(trailers:key=Pipecd-Dev-Trace-Trigger-Commit-Hash,valueonly)"))
                .isEqualTo("cafe");
        assertThat(remote.git("diff", "--name-only", "main~1", "main"))
                .isEqualTo("site/deploy.yaml");
        assertThat(pushed).containsExactly(DEMO);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void ofSeveralEventsOfOneKindOnlyTheNewestIsCarriedOut() {
        begin(site(""));
        registered.add(event("e1", "site:v2", 60));
        registered.add(event("e3", "site:v4", 20));
        registered.add(event("e2", "site:v3", 40));
        registered.add(event("x", "other", 0).toBuilder().putLabels("env", "dev").build());

        watcher.look();

        assertThat(deployed()).contains("image: site:v4 #");
        assertThat(commits()).isEqualTo(2);
        assertThat(ended("e3")).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(ended("e2")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(controlPlane.ended.keySet()).doesNotContain("x");
    }

    @Test
    void anOlderEventNeverOverwritesANewerOneThatAnotherAgentHandled() {
        begin(site(""));
        registered.add(event("e1", "site:v2", 60));
        registered.handledElsewhere(event("e2", "site:v3", 30));

        watcher.look();

        assertThat(commits()).isEqualTo(1);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
    }

    @Test
    void aValueThatIsThereAlreadyIsASuccessWithoutACommit() {
        begin(site(""));
        registered.add(event("e1", "site:v1", 0));

        watcher.look();

        assertThat(commits()).isEqualTo(1);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void anAgentThatDiesBetweenPushAndReportMakesNoSecondCommit() throws Exception {
        begin(site(""));
        registered.add(event("e1", "site:v2", 0));
        watcher.look();
        stop();
        Files.walk(directory.resolve("journal"))
                .sorted(Comparator.reverseOrder())
                .forEach(file -> file.toFile().delete());
        controlPlane.ended.clear();
        open();

        watcher.look();

        assertThat(commits()).isEqualTo(2);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void whatWasDoneAndNotYetReportedIsNotDoneAgainWhenSomebodyChangedItBack() throws Exception {
        begin(site(""));
        registered.add(event("e1", "site:v2", 0));
        controlPlane.away = true;
        watcher.look();
        stop();
        remote.write("site/deploy.yaml", DEPLOY).commit("Back to v1");
        open();

        watcher.look();

        assertThat(deployed()).contains("image: site:v1 #");
        controlPlane.away = false;
        outbox.nudge();
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aPushThatComesTooLateIsMadeAnewOnWhatIsThereNow() throws Exception {
        begin(site(""));
        registered.add(event("e1", "site:v2", 0));
        remote.git("config", "receive.denyCurrentBranch", "ignore");
        // Somebody pushes at the very moment: the first push of the agent finds a newer branch.
        var hook = directory.resolve("remote/.git/hooks/pre-receive");
        Files.writeString(
                hook,
                """
                #!/bin/sh
                unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
                test -e done && exit 0
                touch done
                tree=$(git rev-parse main^{tree})
                git update-ref refs/heads/main $(git commit-tree -p main -m Meanwhile $tree)
                """);
        assertThat(hook.toFile().setExecutable(true)).isTrue();

        watcher.look();

        assertThat(remote.git("log", "--format=%s", "main"))
                .isEqualTo(
                        """
                        Replace values with "site:v2" set by Event "image"
                        Meanwhile
                        Begin\
                        """);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aPushThatTheServerRefusesIsAFailureWithItsReason() throws Exception {
        begin(site(""));
        registered.add(event("e1", "site:v2", 0));
        var hook = directory.resolve("remote/.git/hooks/pre-receive");
        Files.writeString(hook, "#!/bin/sh\necho main is protected\nexit 1\n");
        assertThat(hook.toFile().setExecutable(true)).isTrue();

        watcher.look();

        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(controlPlane.texts.get("e1"))
                .isEqualTo(
                        "repository demo: the push is refused: remote: main is protected; [remote"
                                + " rejected] (pre-receive hook declined). Let bot push to it.");
        assertThat(commits()).isEqualTo(1);
    }

    @Test
    void aReplacementThatCannotBeDoneIsReportedAndChangesNothing() {
        begin(site("").replace("$.image", "$.picture"));
        registered.add(event("e1", "site:v2", 0));

        watcher.look();

        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(controlPlane.texts.get("e1"))
                .isEqualTo(
                        "site/app.pipecd.yaml: eventWatcher[0]: site/deploy.yaml: $.picture: not there"
                                + " (expected: a field of the file). Correct the path, or write the field"
                                + " into the file.");
        assertThat(commits()).isEqualTo(1);
    }

    @Test
    void noPathLeadsOutOfTheRepositoryAndNoLinkIsReplacedByAFile() throws Exception {
        remote.write("site/real.yaml", DEPLOY);
        Files.createSymbolicLink(directory.resolve("remote/site/link.yaml"), Path.of("real.yaml"));
        begin(site("").replace("file: deploy.yaml", "file: ../../outside.yaml"));
        remote.write("other/app.pipecd.yaml", site("").replace("deploy.yaml", "../site/link.yaml"))
                .commit("Watch a link");
        registered.add(event("e1", "site:v2", 0));

        watcher.look();

        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(controlPlane.texts.get("e1"))
                .contains("file: \"../../outside.yaml\" (expected: a path inside the repository)")
                .contains("site/link.yaml: no plain file");
        assertThat(commits()).isEqualTo(2);
    }

    @Test
    void aPullRequestGetsABranchOfItsOwnAndTheNextEventStandsOnTheMainOne() {
        begin(site("makePullRequest: true").replace("name: image", "name: new image!"));
        remote.write("other/app.pipecd.yaml", site("").replace("deploy", "second"))
                .write("other/second.yaml", DEPLOY)
                .commit("Watch more");
        registered.add(event("e1", "site:v2", 10).toBuilder().setName("new image!").build());
        registered.add(event("e2", "site:v3", 5));

        watcher.look();
        watcher.look();

        var branches = remote.git("branch", "--format=%(refname:short)").lines().toList();
        assertThat(branches).hasSize(2).last().asString().matches("new-image--[0-9a-f-]{36}");
        assertThat(remote.git("show", branches.getLast() + ":site/deploy.yaml"))
                .contains("site:v2");
        assertThat(deployed()).contains("site:v1");
        assertThat(remote.git("show", "main:other/second.yaml")).contains("site:v3");
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(ended("e2")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aBranchPushedBeforeACrashIsFoundAgain() throws Exception {
        begin(site("makePullRequest: true"));
        registered.add(event("e1", "site:v2", 0));
        watcher.look();
        stop();
        Files.walk(directory.resolve("journal"))
                .sorted(Comparator.reverseOrder())
                .forEach(file -> file.toFile().delete());
        open();
        watcher.look();

        assertThat(remote.git("branch", "--format=%(refname:short)").lines()).hasSize(2);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void filesOfTheSharedFolderAreWatchedTooAndABrokenOneStopsNoOther() {
        remote.write(
                        ".pipe/events.yaml",
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: EventWatcher
                        spec:
                          events:
                            - name: image
                              replacements:
                                - {file: site/deploy.yaml, yamlField: $.image}
                                - {file: site/values.json, jsonField: $.image}
                                - {file: site/Dockerfile, regex: "FROM (.*)"}
                        """)
                .write(".pipe/broken.yaml", "kind: EventWatcher\nspec: [")
                .write(".pipe/analysis.yaml", "kind: AnalysisTemplate\n")
                .write("site/values.json", "{ \"image\": \"site:v1\" }")
                .write("site/Dockerfile", "FROM site:v1\nRUN x\n");
        begin("apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: site}\n");
        registered.add(event("e1", "site:v2", 0));

        watcher(
                        List.of(
                                new WatchedRepository(
                                        DEMO,
                                        "Set {{ .Value }} for {{ .EventName }}",
                                        List.of("*.yaml"),
                                        List.of("analysis.*"))))
                .look();

        assertThat(deployed()).contains("image: site:v2 #");
        assertThat(remote.git("show", "main:site/values.json"))
                .isEqualTo("{ \"image\": \"site:v2\" }");
        assertThat(remote.git("show", "main:site/Dockerfile")).isEqualTo("FROM site:v2\nRUN x");
        assertThat(remote.git("log", "-1", "--format=%s")).isEqualTo("Set site:v2 for image");
        assertThat(commits()).isEqualTo(2);
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aWatchThatIsAddedOrTakenBackLaterIsSeen() {
        begin("apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: site}\n");
        registered.add(event("e1", "site:v2", 0));
        watcher.look();
        assertThat(controlPlane.ended).isEmpty();
        remote.write("site/app.pipecd.yaml", site("")).commit("Watch");
        repositories.fetch(DEMO);

        watcher.look();

        assertThat(deployed()).contains("image: site:v2 #");
        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aRemoteThatIsAwayIsTriedAgainAndToldWhenAnHourHasPassed() throws Exception {
        begin(site(""));
        registered.add(event("e1", "site:v2", 0));
        Files.move(directory.resolve("remote"), directory.resolve("gone"));
        watcher.look();
        assertThat(controlPlane.ended).isEmpty();
        now = now.plus(Duration.ofHours(1)).plusSeconds(1);

        watcher.look();

        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(controlPlane.texts.get("e1"))
                .startsWith("not carried out within an hour: repository demo: ");
    }

    @Test
    void anEventOfYesterdayIsOutdatedWhenNobodyTriedIt() {
        begin(site(""));
        registered.add(event("e1", "site:v2", 3700));

        watcher.look();

        assertThat(ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(commits()).isEqualTo(1);
    }

    private void begin(String config) {
        remote.write("site/app.pipecd.yaml", config)
                .write("site/deploy.yaml", DEPLOY)
                .commit("Begin");
        repositories.fetch(DEMO);
    }

    private static String site(String handler) {
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

    private static Event event(String id, String data, int secondsAgo) {
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

    private String deployed() {
        return remote.git("show", "main:site/deploy.yaml");
    }

    private int commits() {
        return Integer.parseInt(remote.git("rev-list", "--count", "main"));
    }

    private EventStatus ended(String event) {
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.ended.containsKey(event));
        return controlPlane.ended.getOrDefault(event, EventStatus.UNRECOGNIZED);
    }

    /// Knows of every report, as the control plane would.
    private static final class RecordingControlPlane implements Outbox.Sender {
        private final Map<String, EventStatus> ended =
                new java.util.concurrent.ConcurrentHashMap<>();
        private final Map<String, String> texts = new java.util.concurrent.ConcurrentHashMap<>();
        private volatile boolean away;

        @Override
        public void send(String call, byte[] body) throws Outbox.Unreachable {
            if (away) throw new Outbox.Unreachable("away");
            assertThat(call).isEqualTo("ReportEventStatuses");
            try {
                for (var event : ReportEventStatusesRequest.parseFrom(body).getEventsList()) {
                    texts.put(event.getId(), event.getStatusDescription());
                    ended.put(event.getId(), event.getStatus());
                }
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static final class RegisteredInMemory implements EventWatcher.Registered {
        private final List<Event> pending = new ArrayList<>();
        private final List<Event> handled = new ArrayList<>();

        void add(Event event) {
            pending.add(event);
        }

        void handledElsewhere(Event event) {
            handled.add(event);
        }

        @Override
        public List<Event> pending(Instant since) {
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
