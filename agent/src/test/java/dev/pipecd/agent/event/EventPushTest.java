// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.EventStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How what an event replaced comes into the repository, whatever happens on the way.
final class EventPushTest {
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
    void anAgentThatDiesBetweenPushAndReportMakesNoSecondCommit() throws Exception {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        at.watcher.look();
        at.stop();
        Files.walk(directory.resolve("journal"))
                .sorted(Comparator.reverseOrder())
                .forEach(file -> file.toFile().delete());
        at.controlPlane.ended.clear();
        at.open();

        at.watcher.look();

        assertThat(at.commits()).isEqualTo(2);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void whatWasDoneAndNotYetReportedIsNotDoneAgainWhenSomebodyChangedItBack() throws Exception {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        at.controlPlane.away = true;
        at.watcher.look();
        at.stop();
        at.remote.write("site/deploy.yaml", EventStand.DEPLOY).commit("Back to v1");
        at.open();

        at.watcher.look();

        assertThat(at.deployed()).contains("image: site:v1 #");
        at.controlPlane.away = false;
        at.outbox.nudge();
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aPushThatComesTooLateIsMadeAnewOnWhatIsThereNow() throws Exception {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        at.remote.git("config", "receive.denyCurrentBranch", "ignore");
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

        at.watcher.look();

        assertThat(at.remote.git("log", "--format=%s", "main"))
                .isEqualTo(
                        """
                        Replace values with "site:v2" set by Event "image"
                        Meanwhile
                        Begin\
                        """);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aPushThatTheServerRefusesIsAFailureWithItsReason() throws Exception {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        var hook = directory.resolve("remote/.git/hooks/pre-receive");
        Files.writeString(hook, "#!/bin/sh\necho main is protected\nexit 1\n");
        assertThat(hook.toFile().setExecutable(true)).isTrue();

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(at.controlPlane.texts.get("e1"))
                .isEqualTo(
                        "repository demo: the push is refused: remote: main is protected; [remote"
                                + " rejected] (pre-receive hook declined). Let bot push to it.");
        assertThat(at.commits()).isEqualTo(1);
    }

    @Test
    void aPullRequestGetsABranchOfItsOwnAndTheNextEventStandsOnTheMainOne() {
        at.begin(
                EventStand.site("makePullRequest: true")
                        .replace("name: image", "name: new image!"));
        at.remote
                .write("other/app.pipecd.yaml", EventStand.site("").replace("deploy", "second"))
                .write("other/second.yaml", EventStand.DEPLOY)
                .commit("Watch more");
        at.registered.add(
                EventStand.event("e1", "site:v2", 10).toBuilder().setName("new image!").build());
        at.registered.add(EventStand.event("e2", "site:v3", 5));

        at.watcher.look();
        at.watcher.look();

        var branches = at.remote.git("branch", "--format=%(refname:short)").lines().toList();
        assertThat(branches).hasSize(2).last().asString().matches("new-image--[0-9a-f-]{36}");
        assertThat(at.remote.git("show", branches.getLast() + ":site/deploy.yaml"))
                .contains("site:v2");
        assertThat(at.deployed()).contains("site:v1");
        assertThat(at.remote.git("show", "main:other/second.yaml")).contains("site:v3");
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(at.ended("e2")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aBranchPushedBeforeACrashIsFoundAgain() throws Exception {
        at.begin(EventStand.site("makePullRequest: true"));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        at.watcher.look();
        at.stop();
        Files.walk(directory.resolve("journal"))
                .sorted(Comparator.reverseOrder())
                .forEach(file -> file.toFile().delete());
        at.open();
        at.watcher.look();

        assertThat(at.remote.git("branch", "--format=%(refname:short)").lines()).hasSize(2);
        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_SUCCESS);
    }

    @Test
    void aRemoteThatIsAwayIsTriedAgainAndToldWhenAnHourHasPassed() throws Exception {
        at.begin(EventStand.site(""));
        at.registered.add(EventStand.event("e1", "site:v2", 0));
        Files.move(directory.resolve("remote"), directory.resolve("gone"));
        at.watcher.look();
        assertThat(at.controlPlane.ended).isEmpty();
        at.now = at.now.plus(Duration.ofHours(1)).plusSeconds(1);

        at.watcher.look();

        assertThat(at.ended("e1")).isEqualTo(EventStatus.EVENT_FAILURE);
        assertThat(at.controlPlane.texts.get("e1"))
                .startsWith("not carried out within an hour: repository demo: ");
    }
}
