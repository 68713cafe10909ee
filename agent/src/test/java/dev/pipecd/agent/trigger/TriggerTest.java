// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.report.Report;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a commit opens, and what it tells.
final class TriggerTest {
    @TempDir Path directory;

    private TriggerStand at;

    @BeforeEach
    void start() throws Exception {
        at = TriggerStand.open(directory);
    }

    @AfterEach
    void stop() throws Exception {
        at.close();
    }

    @Test
    void aBigChangeIsLeftForANewerOneAndGoneOnWithAfterIt() {
        at.applications.refresh(
                IntStream.range(0, 70)
                        .mapToObj(n -> TriggerStand.application("site-" + n))
                        .toList());
        at.remote
                .write("site/app.pipecd.yaml", TriggerStand.VALID)
                .commit("One file for all of them");

        at.trigger.look(TriggerStand.DEMO, () -> true);
        assertThat(at.opened).hasSize(64);
        at.trigger.look(TriggerStand.DEMO, () -> true);

        assertThat(at.opened).extracting(Deployment::getApplicationId).doesNotHaveDuplicates();
        assertThat(at.opened).hasSize(70);
    }

    /// It was long about it, and another agent acts by now.
    @Test
    void whatMayNotBeOpenedStaysDue() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.acting = false;
        at.trigger.look(TriggerStand.DEMO);
        at.acting = true;
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        at.acting = false;
        at.trigger.look(TriggerStand.DEMO);
        at.acting = true;
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened)
                .extracting(d -> d.getTrigger().getCommit().getMessage())
                .containsExactly("Add the site", "Break it");
    }

    @Test
    void whatThereIsNoRoomForStaysDueAlsoOverARestart() {
        at.applications.refresh(
                IntStream.range(0, 105)
                        .mapToObj(n -> TriggerStand.application("site-" + n))
                        .toList());
        at.remote
                .write("site/app.pipecd.yaml", TriggerStand.VALID)
                .commit("One file for all of them");

        at.room = 100;
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened).hasSize(100);
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened).hasSize(100);
        at.room = 102;
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened).hasSize(102);
        at.restart();
        at.room = 1_000;
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).extracting(Deployment::getApplicationId).doesNotHaveDuplicates();
        assertThat(at.opened).hasSize(105);
    }

    /// What somebody ordered is waited for.
    @Test
    void anOrderIsCarriedOutHoweverLittleRoomThereIs() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.room = 0;
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.sync(TriggerStand.sync("site"));

        assertThat(at.opened).extracting(d -> d.getTrigger().getCommander()).containsExactly("ann");
    }

    @Test
    void anApplicationBehindALinkIsDeployedForWhatChangesThereAndForTheLink() throws Exception {
        for (var place : List.of("real", "other"))
            at.remote.write(place + "/site/app.pipecd.yaml", TriggerStand.VALID);
        Files.createSymbolicLink(directory.resolve("remote/site"), Path.of("real/site"));
        at.remote.commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("real/site/x", "1").commit("Change it there");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("other/site/x", "1").commit("Change the other");
        at.trigger.look(TriggerStand.DEMO);
        Files.delete(directory.resolve("remote/site"));
        Files.createSymbolicLink(directory.resolve("remote/site"), Path.of("other/site"));
        at.remote.commit("Lead to the other");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(messages())
                .containsExactly("Add the site", "Change it there", "Lead to the other");
    }

    @Test
    void eachLinkOnTheWayCountsAndSoDoesAnotherVersionThatWasThereBefore() throws Exception {
        for (var version : List.of("v1", "v2"))
            at.remote.write("releases/" + version + "/site/app.pipecd.yaml", TriggerStand.VALID);
        var current = directory.resolve("remote/releases/current");
        Files.createSymbolicLink(current, Path.of("v1"));
        Files.createSymbolicLink(
                directory.resolve("remote/site"), Path.of("releases/current/site"));
        at.remote.commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        Files.delete(current);
        Files.createSymbolicLink(current, Path.of("v2"));
        at.remote.commit("Release v2");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(messages()).containsExactly("Add the site", "Release v2");
    }

    @Test
    void aFileBehindALinkCountsAsTheFileItself() throws Exception {
        at.remote.write("shared/app.pipecd.yaml", TriggerStand.VALID);
        at.remote.write("site/x", "1");
        Files.createSymbolicLink(
                directory.resolve("remote/site/app.pipecd.yaml"),
                Path.of("../shared/app.pipecd.yaml"));
        at.remote.commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("shared/app.pipecd.yaml", TriggerStand.VALID + " ").commit("Change it");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(messages()).containsExactly("Add the site", "Change it");
    }

    @Test
    void ofSeveralCommitsTheOneThatTouchesTheApplicationLeadsBackToItsCause() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit(traced("first"));
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/x", "1").commit(traced("older"));
        at.remote.write("site/x", "2").commit(traced("ours"));
        at.remote.write("site/x", "3").commit("By hand");
        at.remote.write("other/x", "1").commit(traced("theirs"));
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/x", "4").commit("By hand");
        at.remote.write("other/x", "2").commit(traced("theirs"));
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened)
                .extracting(Deployment::getDeploymentTraceCommitHash)
                .containsExactly("first", "ours", "");
    }

    @Test
    void aMergeLeadsBackToTheCauseOfWhatItMerges() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.git("checkout", "--quiet", "-b", "event");
        at.remote.write("site/x", "1").commit(traced("merged"));
        at.remote.git("checkout", "--quiet", "main");
        at.remote.git("merge", "--quiet", "--no-ff", "-m", "Merge it", "event");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened.getLast().getDeploymentTraceCommitHash()).isEqualTo("merged");
    }

    private static String traced(String hash) {
        return "Replace values\n\nPipecd-Dev-Trace-Trigger-Commit-Hash: " + hash;
    }

    private List<String> messages() {
        return at.opened.stream().map(d -> d.getTrigger().getCommit().getMessage()).toList();
    }

    @Test
    void theFirstCommitAndEachThatTouchesTheApplicationOpenOneDeployment() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("other/readme", "hello").commit("Touch something else");
        at.trigger.look(TriggerStand.DEMO);
        var head = at.remote.write("site/index.html", "hello").commit("Say hello");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(2);
        assertThat(at.opened.getLast().getTrigger().getCommit().getHash()).isEqualTo(head);
        assertThat(at.opened.getLast().getTrigger().getCommit().getMessage())
                .isEqualTo("Say hello");
    }

    @Test
    void aDeploymentIsSmallHoweverLongTheWordsOfItsCommit() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("x".repeat(1 << 20));
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened)
                .singleElement()
                .satisfies(d -> assertThat(d.getSerializedSize()).isLessThan(2_000));
    }

    @Test
    void aBrokenFileIsToldOnTheApplicationOnceAndMendingItDeploys() {
        at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);
        await().atMost(Duration.ofMinutes(1)).until(() -> at.controlPlane.states.size() == 1);
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Mend it");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.controlPlane.states)
                .singleElement()
                .satisfies(state -> {
                    assertThat(state.getStatus()).isEqualTo(ApplicationSyncStatus.INVALID_CONFIG);
                    assertThat(state.getReason()).startsWith("site/app.pipecd.yaml:1:");
                });
        assertThat(at.opened).hasSize(1);
    }

    @Test
    void aCommitThatCannotBeDeployedIsNotifiedOnce() {
        var head = at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.told)
                .singleElement()
                .isInstanceOfSatisfying(
                        Event.DeploymentTriggerFailed.class,
                        failed -> {
                            assertThat(failed.application().getName()).isEqualTo("site");
                            assertThat(failed.commit()).isEqualTo(head);
                            assertThat(failed.message()).isEqualTo("Break it");
                            assertThat(failed.reason()).startsWith("site/app.pipecd.yaml:1:");
                        });
    }

    @Test
    void aDeploymentCarriesWhomItsApplicationWantsToBeNamed() {
        at.remote
                .write(
                        "site/app.pipecd.yaml",
                        TriggerStand.VALID
                                + "  notification: {mentions: [{event: DEPLOYMENT_FAILED, slackUsers: [U1], slackGroups: [G1]}]}\n")
                .commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.sync(TriggerStand.sync("site"));

        assertThat(at.opened)
                .extracting(d -> TriggerStand.marks(d).get("DeploymentNotification"))
                .hasSize(2)
                .containsOnly(
                        "{\"mentions\":[{\"event\":\"DEPLOYMENT_FAILED\",\"slackUsers\":[\"U1\"],\"slackGroups\":[\"G1\"]}]}");
    }

    @Test
    void aRepositoryThatCannotBeReadIsToldOnItsApplications() throws Exception {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.remote.git("branch", "-m", "main", "trunk");

        assertThatThrownBy(() -> at.trigger.look(TriggerStand.DEMO)).isInstanceOf(Problem.class);

        await().atMost(Duration.ofMinutes(1)).until(() -> at.controlPlane.states.size() == 1);
        assertThat(at.controlPlane.states.getFirst().getShortReason())
                .isEqualTo("the repository cannot be read");
        assertThat(at.opened).isEmpty();
    }

    @Test
    void whenTheRepositoryIsBackItsApplicationsStandAsBeforeAndTheNextOutageIsToldAgain() {
        deployedAnd(state(ApplicationSyncStatus.SYNCED, ""));
        at.remote.git("branch", "-m", "main", "trunk");
        assertThatThrownBy(() -> at.trigger.look(TriggerStand.DEMO)).isInstanceOf(Problem.class);
        at.remote.git("branch", "-m", "trunk", "main");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);
        at.remote.git("branch", "-m", "main", "trunk");
        assertThatThrownBy(() -> at.trigger.look(TriggerStand.DEMO)).isInstanceOf(Problem.class);

        awaitStates(
                "UNKNOWN the repository cannot be read",
                "SYNCED ",
                "UNKNOWN the repository cannot be read");
    }

    @Test
    void anOutageIsToldOnceHoweverLongGitWaitedAndAnotherFaultAnew() {
        for (var said :
                List.of(
                        "Failed to connect to git.example.com port 443 after 130012 ms: Couldn't connect to server",
                        "Failed to connect to git.example.com port 443 after 129998 ms: Couldn't connect to server",
                        "The requested URL returned error: 503",
                        "The requested URL returned error: 404",
                        "1000 bytes came, then nothing for 600 s",
                        "2500 bytes came, then nothing for 600 s",
                        "unable to create temporary file 'objects/pack/tmp_pack_Jd8s2k'",
                        "unable to create temporary file 'objects/pack/tmp_pack_p0QzXe'")) {
            at.history.away.set(
                    Optional.of(new Problem(Problem.Code.REPOSITORY_UNREACHABLE, said, "")));
            assertThatThrownBy(() -> at.trigger.look(TriggerStand.DEMO)).hasMessage(said);
        }

        await().atMost(Duration.ofMinutes(1)).until(() -> at.outbox.waiting() == 0);
        assertThat(at.controlPlane.states)
                .extracting(ApplicationSyncState::getReason)
                .containsExactly(
                        "Failed to connect to git.example.com port 443 after 130012 ms: Couldn't connect to server",
                        "The requested URL returned error: 503",
                        "The requested URL returned error: 404",
                        "1000 bytes came, then nothing for 600 s",
                        "unable to create temporary file 'objects/pack/tmp_pack_Jd8s2k'");
    }

    @Test
    void whatAnEarlierLifeSaidOfARepositoryIsTakenBackAtTheFirstLook() {
        deployedAnd(state(ApplicationSyncStatus.UNKNOWN, "the repository cannot be read"));

        at.trigger.look(TriggerStand.DEMO);

        awaitStates("SYNCED ");
    }

    @Test
    void aMirrorThatCannotBeReadForAWhileIsNoFaultOfTheFile() {
        deployed(TriggerStand.VALID, state(ApplicationSyncStatus.SYNCED, ""));
        at.history.failing.set(2);
        at.remote.write("site/index.html", "hello").commit("Say hello");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);

        awaitStates("UNKNOWN the repository cannot be read");
        assertThat(at.told).isEmpty();
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened)
                .extracting(d -> d.getTrigger().getCommit().getMessage())
                .containsExactly("Add the site", "Say hello");
    }

    @Test
    void whatWasSaidOfOneAloneIsTakenBackWhenItWasCompared() {
        deployed(
                TriggerStand.VALID + "  trigger: {onCommit: {ignores: ['**/*.md']}}\n",
                state(ApplicationSyncStatus.SYNCED, ""));
        at.history.failing.set(1);
        at.remote.write("site/a.md", "a").commit("Words");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);

        awaitStates("UNKNOWN the repository cannot be read", "SYNCED ");
    }

    @Test
    void aDeploymentThatEndedMeanwhileHasTheLastWord() {
        deployedAnd(state(ApplicationSyncStatus.OUT_OF_SYNC, ""));
        at.remote.git("branch", "-m", "main", "trunk");
        assertThatThrownBy(() -> at.trigger.look(TriggerStand.DEMO)).isInstanceOf(Problem.class);
        at.applications.triggered(at.opened.getFirst().toBuilder().setId("newer").build());
        at.remote.git("branch", "-m", "trunk", "main");
        at.trigger.look(TriggerStand.DEMO);

        at.outbox.send(new Report("application:site", "last", new byte[0]));
        await().atMost(Duration.ofMinutes(1)).until(() -> at.outbox.waiting() == 0);
        awaitStates("UNKNOWN the repository cannot be read");
    }

    @Test
    void aMendedFileThatCommitsDoNotDeployIsNoLongerInvalid() {
        var quiet = TriggerStand.VALID + "  trigger: {onCommit: {disabled: true}}\n";
        at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/app.pipecd.yaml", quiet).commit("Mend it");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it again");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).isEmpty();
        awaitStates(
                "INVALID_CONFIG the configuration is not valid",
                "UNKNOWN ",
                "INVALID_CONFIG the configuration is not valid");
    }

    private void deployedAnd(ApplicationSyncState state) {
        deployed(TriggerStand.VALID, state);
        at.restart();
    }

    private void deployed(String file, ApplicationSyncState state) {
        at.remote.write("site/app.pipecd.yaml", file).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.applications.succeeded(at.opened.getFirst());
        at.applications.refresh(
                List.of(TriggerStand.application("site").toBuilder().setSyncState(state).build()));
    }

    private static ApplicationSyncState state(ApplicationSyncStatus status, String brief) {
        return ApplicationSyncState.newBuilder().setStatus(status).setShortReason(brief).build();
    }

    private void awaitStates(String... expected) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(at.controlPlane.states)
                                .extracting(s -> s.getStatus() + " " + s.getShortReason())
                                .containsExactly(expected));
    }

    @Test
    void aCommitThatWasOnlyRewordedDeploysNothing() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.git("commit", "--amend", "-m", "Add the site, said better");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened)
                .extracting(d -> d.getTrigger().getCommit().getMessage())
                .containsExactly("Add the site");
    }

    @Test
    void aCommitThatBreaksTheFileOfADeployedApplicationFailsAsADeployment() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        var head = at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(2);
        assertThat(at.opened.getLast().getTrigger().getCommit().getHash()).isEqualTo(head);
        assertThat(TriggerStand.marks(at.opened.getLast()))
                .isEqualTo(Map.of("pipecd/config-unreadable", "true"));
        // The deployment that fails is notified.
        assertThat(at.told).isEmpty();
    }

    @Test
    void aCommitElsewhereDeploysNothingOfAnApplicationWhoseFileIsBroken() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("other/readme", "hello").commit("Touch something else");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(2);
    }

    @Test
    void aFileThatIsGoneFailsAsADeployment() {
        at.remote
                .write("site/app.pipecd.yaml", TriggerStand.VALID)
                .write("site/index.html", "hello")
                .commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.git("rm", "-q", "site/app.pipecd.yaml");
        at.remote.git("commit", "-q", "-m", "Lose the file");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(2);
    }

    @Test
    void byThePublicRuleACommitWithOneIgnoredFileDeploysNothing() {
        var on = "  trigger: {onCommit: {ignores: ['**/*.md'], ignoresByCommit: %s}}\n";
        at.remote
                .write("site/app.pipecd.yaml", TriggerStand.VALID + on.formatted("true"))
                .commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/a.md", "a").write("site/a.html", "a").commit("Words and more");
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened).hasSize(1);

        at.remote
                .write("site/app.pipecd.yaml", TriggerStand.VALID + on.formatted("false"))
                .commit("Ours");
        at.trigger.look(TriggerStand.DEMO);
        at.remote.write("site/b.md", "b").write("site/b.html", "b").commit("Words and more");
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened)
                .extracting(d -> d.getTrigger().getCommit().getMessage())
                .containsExactly("Add the site", "Ours", "Words and more");
    }

    @Test
    void whatAFileSaysInVainIsMarkedOnItsDeployments() {
        at.remote
                .write(
                        "site/app.pipecd.yaml",
                        TriggerStand.VALID + "  nmae: x\n  planner: {newestOnly: true}\n")
                .commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);

        assertThat(TriggerStand.marks(at.opened.getFirst()))
                .isEqualTo(
                        Map.of(
                                "pipecd/newest-only",
                                "true",
                                "pipecd/warnings",
                                "site/app.pipecd.yaml:9:3: spec.nmae: nmae (ignored: not a known key; did you mean \"name\"?)"));
    }

    @Test
    void anApplicationOfARepositoryThatNobodyWatchesSaysSoOnce() {
        var stray = TriggerStand.application("stray").toBuilder();
        stray.getGitPathBuilder().getRepoBuilder().setId("other");
        at.applications.refresh(List.of(TriggerStand.application("site"), stray.build()));
        at.trigger.tellStrays();
        at.trigger.tellStrays();

        await().atMost(Duration.ofMinutes(1)).until(() -> at.outbox.waiting() == 0);
        assertThat(at.controlPlane.states)
                .singleElement()
                .satisfies(state ->
                        assertThat(state.getReason())
                                .isEqualTo(
                                        "repository: \"other\" (expected: one of [demo]). Add it to `repositories` of the agent's configuration, or correct the application."));
    }
}
