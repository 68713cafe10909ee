// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.PipedConfig.WatchedRepository;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.EventStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which values an event replaces, and what is told of it.
final class EventWatcherTest {
    @TempDir Path directory;

    private EventStand at;

    @BeforeEach
    void start() throws Exception {
        at = new EventStand(directory);
    }

    @AfterEach
    void stop() throws Exception {
        at.stop();
    }

    @Test
    void anEventBecomesACommitOfTheAgentAndTheRestOfTheFileStays() {
        at.begin(EventStand.site(""));
        at.registered.add(
                EventStand.event("e1", "site:v2", 0).toBuilder()
                        .putContexts("Zone", "eu\nwest")
                        .putContexts("App", "site")
                        .setTriggerCommitHash("cafe")
                        .build());

        at.watcher.look();

        assertThat(at.remote.git("show", "main:site/deploy.yaml"))
                .isEqualTo("# ours\nimage: site:v2 # by events\nreplicas: 2");
        assertThat(at.remote.git("log", "-1", "--format=%an <%ae> %cn %at %B"))
                .isEqualTo(
                        """
                        bot <bot@example.com> bot %d Replace values with "site:v2" set by Event "image"

                        App: site
                        Pipecd-Dev-Trace-Trigger-Commit-Hash: cafe
                        Zone: eu west\
                        """
                                .formatted(EventStand.NOW.getEpochSecond()));
        assertThat(
                        at.remote.git(
                                "log",
                                "-1",
                                "--format=%(trailers:key=Pipecd-Dev-Trace-Trigger-Commit-Hash,valueonly)"))
                .isEqualTo("cafe");
        assertThat(at.remote.git("diff", "--name-only", "main~1", "main"))
                .isEqualTo("site/deploy.yaml");
        assertThat(at.pushed).containsExactly(EventStand.DEMO);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void ofSeveralEventsOfOneKindOnlyTheNewestIsCarriedOut() {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 60));
        at.registered.add(EventStand.event("e3", "site:v4", 20));
        at.registered.add(EventStand.event("e2", "site:v3", 40));
        at.registered.add(
                EventStand.event("x", "other", 0).toBuilder().putLabels("env", "dev").build());

        at.watcher.look();

        assertThat(at.deployed()).contains("image: site:v4 #");
        assertThat(at.commits()).isEqualTo(2);
        assertThat(at.ended("e3")).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(at.ended("e2")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(at.controlPlane.ended.keySet()).doesNotContain("x");
    }

    @Test
    void anEventThatCameSinceTheLookBeforeIsNewWhateverTheClocksSay() {
        at.begin(EventStand.site(""));
        at.now = EventStand.NOW.plus(Duration.ofHours(2));
        at.registered.add(EventStand.event("old", "site:v2", 60));
        at.watcher.look();
        at.now = at.now.plusSeconds(60);
        at.registered.add(EventStand.event("new", "site:v3", 0));
        at.watcher.look();

        assertThat(at.ended("old")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(at.ended("new")).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(at.deployed()).contains("image: site:v3 #");
    }

    @Test
    void whatCameWhileTheControlPlaneWasAwayForHoursIsJudgedByTheClock() {
        at.begin(EventStand.site(""));
        at.watcher.look();
        at.now = EventStand.NOW.plus(Duration.ofHours(3));
        at.registered.add(EventStand.event("e1", "site:v2", -60));
        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(at.commits()).isEqualTo(1);
    }

    @Test
    void aClockThatIsSetForwardMakesNoFreshEventOld() {
        at.begin(EventStand.site(""));
        at.watcher.look();
        at.registered.add(EventStand.event("e1", "site:v2", -3));
        setClockForward(Duration.ofHours(2));

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aClockThatIsSetForwardEndsNoEventThatWaits() throws Exception {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        var remote = directory.resolve("remote");
        var away = Files.move(remote, remote.resolveSibling("away"));
        at.watcher.look();
        setClockForward(Duration.ofHours(2));
        at.watcher.look();
        Files.move(away, remote);

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    private void setClockForward(Duration by) {
        at.now = at.now.plusSeconds(5).plus(by);
        at.set = at.set.plus(by);
    }

    @Test
    void anOlderEventNeverOverwritesANewerOneThatAnotherAgentHandled() {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 60));
        at.registered.handledElsewhere(EventStand.event("e2", "site:v3", 30));

        at.watcher.look();

        assertThat(at.commits()).isEqualTo(1);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
    }

    @Test
    void aValueThatIsThereAlreadyIsASuccessWithoutACommit() {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v1", 0));

        at.watcher.look();

        assertThat(at.commits()).isEqualTo(1);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aReplacementThatCannotBeDoneIsReportedAndChangesNothing() {
        at.begin(EventStand.site("").replace("$.image", "$.picture"));
        at.registered.add(EventStand.event("e1", "site:v2", 0));

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(at.controlPlane.texts.get("e1"))
                .isEqualTo(
                        "site/app.pipecd.yaml: eventWatcher[0]: site/deploy.yaml: $.picture: not there"
                                + " (expected: a field of the file). Correct the path, or write the field"
                                + " into the file.");
        assertThat(at.commits()).isEqualTo(1);
    }

    @Test
    void noPathLeadsOutOfTheRepositoryAndNoLinkIsReplacedByAFile() throws Exception {
        at.remote.write("site/real.yaml", EventStand.DEPLOY);
        Files.createSymbolicLink(directory.resolve("remote/site/link.yaml"), Path.of("real.yaml"));
        at.begin(EventStand.site("").replace("file: deploy.yaml", "file: ../../outside.yaml"));
        at.remote
                .write(
                        "other/app.pipecd.yaml",
                        EventStand.site("").replace("deploy.yaml", "../site/link.yaml"))
                .commit("Watch a link");
        at.registered.add(EventStand.event("e1", "site:v2", 0));

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(at.controlPlane.texts.get("e1"))
                .contains("file: \"../../outside.yaml\" (expected: a path inside the repository)")
                .contains("site/link.yaml: no plain file");
        assertThat(at.commits()).isEqualTo(2);
    }

    @Test
    void aFileOfAFolderBehindALinkIsChangedWhereItIs() throws Exception {
        at.begin(EventStand.site(""));
        Files.move(directory.resolve("remote/site"), directory.resolve("remote/real"));
        Files.createSymbolicLink(directory.resolve("remote/site"), Path.of("real"));
        at.remote.commit("Link the site");
        at.registered.add(EventStand.event("e1", "site:v2", 0));

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(at.remote.git("show", "main:real/deploy.yaml")).contains("image: site:v2");
    }

    @Test
    void filesOfTheSharedFolderAreWatchedTooAndABrokenOneStopsNoOther() {
        at.remote
                .write(
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
        at.begin("apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: site}\n");
        at.registered.add(EventStand.event("e1", "site:v2", 0));

        at.watcher(
                        List.of(
                                new WatchedRepository(
                                        EventStand.DEMO,
                                        "Set {{ .Value }} for {{ .EventName }}",
                                        List.of("*.yaml"),
                                        List.of("analysis.*"))))
                .look();

        assertThat(at.deployed()).contains("image: site:v2 #");
        assertThat(at.remote.git("show", "main:site/values.json"))
                .isEqualTo("{ \"image\": \"site:v2\" }");
        assertThat(at.remote.git("show", "main:site/Dockerfile")).isEqualTo("FROM site:v2\nRUN x");
        assertThat(at.remote.git("log", "-1", "--format=%s")).isEqualTo("Set site:v2 for image");
        assertThat(at.commits()).isEqualTo(2);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aWatchThatIsAddedOrTakenBackLaterIsSeen() {
        at.begin("apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: site}\n");
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        at.watcher.look();
        assertThat(at.controlPlane.ended).isEmpty();
        at.remote.write("site/app.pipecd.yaml", EventStand.site("")).commit("Watch");
        at.repositories.fetch(EventStand.DEMO);

        at.watcher.look();

        assertThat(at.deployed()).contains("image: site:v2 #");
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aSharedFolderThatLeavesItsRepositoryStopsNoEvents() throws Exception {
        Files.createSymbolicLink(directory.resolve("next/.pipe"), Path.of("../shared"));
        Files.createSymbolicLink(directory.resolve("remote/.pipe"), Path.of("../shared"));
        at.next.commit("Link out of it");
        at.repositories.fetch(EventStand.NEXT);
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));

        at.watcher.look();

        assertThat(at.deployed()).contains("image: site:v2 #");
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aMirrorThatCannotBeReadStopsNoEventsOfOthers() throws Exception {
        at.next.write("x", "1").commit("Begin");
        at.repositories.fetch(EventStand.NEXT);
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        var head = at.repositories.folder(EventStand.NEXT).resolve("refs/heads/main");
        Files.writeString(head, "no commit ".repeat(5));
        at.stop();
        at.open();
        assertThatThrownBy(() -> at.repositories.head(EventStand.NEXT)).isInstanceOf(Problem.class);

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void whatAFileBehindALinkWaitsForIsFollowed() throws Exception {
        at.remote.write("base/files.yaml", EventStand.site(""));
        Files.createDirectories(directory.resolve("remote/other"));
        Files.createSymbolicLink(
                directory.resolve("remote/other/app.pipecd.yaml"), Path.of("../base/files.yaml"));
        at.remote.write("other/deploy.yaml", EventStand.DEPLOY).write("other/new.yaml", "image: x");
        at.begin("apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: site}\n");
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        at.watcher.look();
        at.remote
                .write("base/files.yaml", EventStand.site("").replace("deploy.yaml", "new.yaml"))
                .commit("Change what is behind the link");
        at.repositories.fetch(EventStand.DEMO);
        at.registered.add(EventStand.event("e2", "site:v3", -1));

        at.watcher.look();

        assertThat(at.ended("e2")).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(at.remote.git("show", "main:other/deploy.yaml")).contains("image: site:v2 #");
        assertThat(at.remote.git("show", "main:other/new.yaml")).isEqualTo("image: site:v3");
    }

    @Test
    void anEventOfLastWeekIsOutdatedToo() {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 7 * 24 * 3600));

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(at.commits()).isEqualTo(1);
    }

    @Test
    void anOldEventIsNotNewBecauseSomebodyWaitsForItNow() {
        at.begin("apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: site}\n");
        at.registered.add(EventStand.event("e1", "site:v2", 30 * 3600));
        at.watcher.look();
        at.remote.write("site/app.pipecd.yaml", EventStand.site("")).commit("Watch");
        at.repositories.fetch(EventStand.DEMO);
        at.now = EventStand.NOW.plus(Duration.ofMinutes(59));
        at.watcher.look();
        assertThat(at.controlPlane.ended).isEmpty();

        at.now = EventStand.NOW.plus(Duration.ofMinutes(61));
        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(at.commits()).isEqualTo(2);
    }

    @Test
    void whereAllEventsAreTooManyThoseOfTheLastDayAreHandled() {
        at.begin(EventStand.site(""));
        at.registered.refusesAll = true;
        at.registered.add(EventStand.event("e1", "site:v2", 0));

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void anEventOfYesterdayIsOutdatedWhenNobodyTriedIt() {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 3700));

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(at.commits()).isEqualTo(1);
    }
}
