// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.piped.ListApplicationsResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationsTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir Path temp;

    @Test
    void whatWasToldIsKnownAfterARestart() {
        open().refresh(List.of(at("a", "x"), at("b", "y")));

        var again = open();

        assertThat(again.of(DEMO, 9)).containsExactly(at("a", "x"), at("b", "y"));
        assertThat(again.of(DEMO, 1)).containsExactly(at("a", "x"));
        assertThat(again.takeChanged(DEMO)).containsExactly(id("a"), id("b"));
        assertThat(again.takeChanged(DEMO)).isEmpty();
    }

    @Test
    void whatTheAgentDidSinceOutlivesARestartAndAnOlderWord() {
        var applications = open();
        applications.refresh(List.of(at("a", "x"), at("b", "y")));
        applications.takeChanged(DEMO);

        applications.triggered(deployment("a", 7, "c1"));
        assertThat(applications.refresh(List.of(at("a", "x"), at("b", "y")))).isFalse();

        assertThat(lastCommit(applications, "a")).isEqualTo("c1");
        assertThat(lastCommit(open(), "a")).isEqualTo("c1");
        assertThat(applications.takeChanged(DEMO)).isEmpty();
    }

    @Test
    void aSuccessThatTheJournalTellsCountsUnlessANewerOneIsKnown() {
        var applications = open();
        applications.refresh(List.of(at("a", "x")));
        applications.succeededBefore(deployment("a", 5, "c1"));
        assertThat(lastSuccess(applications, "a")).isEqualTo("d5");

        applications.succeededBefore(deployment("a", 7, "c2"));
        applications.succeededBefore(deployment("a", 6, "c3"));
        assertThat(lastSuccess(applications, "a")).isEqualTo("d7");

        // One that waited for its chain may end after one that was opened later.
        applications.succeeded(deployment("a", 6, "c3"));
        assertThat(lastSuccess(open(), "a")).isEqualTo("d6");
    }

    @Test
    void anotherNameIsAnotherVersionAndWhatHappensEveryDayIsNot() {
        var applications = open();
        applications.refresh(List.of(at("a", "x"), at("b", "y")));
        var first = applications.version();

        applications.triggered(deployment("a", 7, "c1"));
        applications.refresh(
                List.of(at("a", "x").toBuilder().setDeploying(true).build(), at("b", "y")));
        assertThat(applications.version()).isEqualTo(first);

        applications.refresh(
                List.of(at("a", "x").toBuilder().setName("other").build(), at("b", "y")));
        var second = applications.version();
        applications.refresh(List.of(at("b", "y")));

        assertThat(second).isNotEqualTo(first);
        assertThat(applications.version()).isNotEqualTo(second);
        assertThat(applications.all()).containsExactly(at("b", "y"));
    }

    @Test
    void aChangeIsAddedToTheFileAndNotAllWrittenAgain() throws IOException {
        var applications = open();
        applications.refresh(IntStream.range(0, 500).mapToObj(i -> at("a" + i, "x" + i)).toList());
        var before = Files.size(file());

        applications.triggered(deployment("a7", 7, "c1"));

        assertThat(Files.size(file()) - before).isBetween(1L, 300L);
        assertThat(
                        ListApplicationsResponse.parseFrom(Files.readAllBytes(file()))
                                .getApplicationsList())
                .hasSize(501);
    }

    @Test
    void theFileIsWrittenAnewBeforeItIsMostlyHistory() throws IOException {
        var applications = open();
        applications.refresh(List.of(at("a", "x"), at("b", "y")));

        for (var i = 1; i <= 1_001; i++) applications.triggered(deployment("a", i, "c" + i));

        assertThat(
                        ListApplicationsResponse.parseFrom(Files.readAllBytes(file()))
                                .getApplicationsList())
                .hasSize(2);
        assertThat(lastCommit(open(), "a")).isEqualTo("c1001");
    }

    @Test
    void aFileThatEndsInTheMiddleIsReadSoFarAndNotAddedTo() throws IOException {
        var applications = open();
        applications.refresh(List.of(at("a", "x"), at("b", "y")));
        var whole = Files.readAllBytes(file());
        Files.write(file(), java.util.Arrays.copyOf(whole, whole.length - 3));

        var torn = open();
        assertThat(torn.of(DEMO, 9)).containsExactly(at("a", "x"));
        torn.triggered(deployment("a", 7, "c1"));

        assertThat(open().of(DEMO, 9)).hasSize(1);
        assertThat(lastCommit(open(), "a")).isEqualTo("c1");
    }

    @Test
    void zerosThatAPowerCutLeftDoNotStopTheAgent() throws IOException {
        open().refresh(List.of(at("a", "x")));
        Files.write(file(), new byte[64], StandardOpenOption.APPEND);

        var again = open();
        again.refresh(List.of(at("a", "x"), at("b", "y")));

        assertThat(open().of(DEMO, 9)).hasSize(2);
    }

    @Test
    void onADiskThatTakesNothingTheApplicationsAreStillKnown() throws IOException {
        var folder = Files.createDirectory(temp.resolve("gone"));
        var applications = new Applications(folder.resolve("applications"));
        Files.delete(folder);

        applications.refresh(List.of(at("a", "x")));
        assertThat(applications.find(id("a"))).isPresent();

        Files.createDirectory(folder);
        applications.triggered(deployment("a", 7, "c1"));
        assertThat(new Applications(folder.resolve("applications")).find(id("a"))).isPresent();
    }

    @Test
    void whatIsNoLongerToldIsForgotten() {
        var applications = open();
        applications.refresh(List.of(at("a", "x"), at("b", "y")));
        applications.takeChanged(DEMO);

        assertThat(applications.refresh(List.of(at("b", "y")))).isFalse();

        assertThat(applications.find(id("a"))).isEmpty();
        assertThat(applications.takeChanged(DEMO)).containsExactly(id("a"));
        assertThat(open().find(id("a"))).isEmpty();
    }

    @Test
    void aMoveToAnotherRepositoryIsNewsToBoth() {
        var applications = open();
        applications.refresh(List.of(at("a", "x")));
        applications.takeChanged(DEMO);
        var moved = at("a", "x").toBuilder();
        moved.getGitPathBuilder().getRepoBuilder().setId("other");

        assertThat(applications.refresh(List.of(moved.build()))).isTrue();

        assertThat(applications.takeChanged(DEMO)).containsExactly(id("a"));
        assertThat(applications.takeChanged(new RepositoryId("other"))).containsExactly(id("a"));
        assertThat(applications.isIn(id("a"), DEMO)).isFalse();
    }

    @Test
    void anAnswerIsTakenApartWithoutBeingDecoded() throws IOException {
        var answer =
                ListApplicationsResponse.newBuilder()
                        .addApplications(at("a", "x"))
                        .addApplications(at("b", "y"))
                        .build();

        var documents = ApplicationsFile.documents(answer.toByteString().newInput());

        var ids = new ArrayList<ApplicationId>();
        documents.forEach(document -> ids.add(ApplicationsFile.id(document)));
        assertThat(ids).containsExactly(id("a"), id("b"));
        assertThat(Application.parseFrom(documents.getLast())).isEqualTo(at("b", "y"));
    }

    private Path file() {
        return temp.resolve("applications");
    }

    private Applications open() {
        return new Applications(file());
    }

    /// The journal forgets a deployment that is over: what runs would be known nowhere after a
    /// power cut.
    @Test
    void aSuccessIsForcedToTheDiskAndAnOpeningIsNot() throws Exception {
        var file = temp.resolve("applications");
        var applications = new Applications(file);
        applications.refresh(List.of(at("a", "a")));

        assertThat(forcedBy(file, () -> applications.triggered(deployment("a", 5, "c1")))).isZero();
        assertThat(forcedBy(file, () -> applications.succeeded(deployment("a", 5, "c1")))).isOne();
    }

    private long forcedBy(Path file, Runnable work) throws Exception {
        var seen = temp.resolve("forced.jfr");
        try (var recording = new Recording()) {
            recording.enable("jdk.FileForce").withoutThreshold();
            recording.start();
            work.run();
            recording.stop();
            recording.dump(seen);
        }
        return RecordingFile.readAllEvents(seen).stream()
                .filter(event -> event.getString("path").equals(file.toString()))
                .count();
    }

    @Test
    void whatIsForgottenIsToldAnew() {
        var file = temp.resolve("applications");
        var applications = new Applications(file);
        applications.refresh(List.of(at("a", "a")));
        applications.triggered(deployment("a", 5, "c1"));
        applications.takeChanged(DEMO);

        applications.forget();

        assertThat(new Applications(file).all()).isEmpty();
        applications.refresh(List.of(at("a", "a")));
        assertThat(lastCommit(applications, "a")).isEmpty();
        assertThat(applications.takeChanged(DEMO)).containsExactly(id("a"));
    }

    private static String lastSuccess(Applications applications, String id) {
        return applications
                .find(id(id))
                .orElseThrow()
                .getMostRecentlySuccessfulDeployment()
                .getDeploymentId();
    }

    private static String lastCommit(Applications applications, String id) {
        return applications
                .find(id(id))
                .orElseThrow()
                .getMostRecentlyTriggeredDeployment()
                .getTrigger()
                .getCommit()
                .getHash();
    }

    private static Deployment deployment(String application, long at, String commit) {
        return Deployment.newBuilder()
                .setId("d" + at)
                .setApplicationId(application)
                .setCreatedAt(at)
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(Commit.newBuilder().setHash(commit)))
                .build();
    }

    private static ApplicationId id(String value) {
        return new ApplicationId(value);
    }

    private static Application at(String id, String path) {
        return Application.newBuilder()
                .setId(id)
                .setName(id)
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                .setPath(path))
                .build();
    }
}
