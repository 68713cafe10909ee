// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.suggest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.agent.report.StateReports;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SuggestionsTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir Path directory;

    private Instant now = Instant.parse("2026-01-01T12:00:00Z");
    private SmallControlPlane controlPlane;
    private GitRemote remote;
    private Ledger ledger;
    private Outbox outbox;
    private Repositories repositories;
    private Applications applications;
    private Suggestions suggestions;

    @BeforeEach
    void start() throws Exception {
        controlPlane = SmallControlPlane.open();
        remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        ledger = Ledger.open(directory.resolve("journal"));
        outbox = new Outbox(ledger, controlPlane.client(), InstantSource.system());
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        InstantSource.system());
        applications = new Applications(directory.resolve("applications"));
        suggestions = suggestions(Map.of());
    }

    private Suggestions suggestions(Map<String, String> selector) {
        return new Suggestions(
                repositories,
                new ApplicationFiles(repositories),
                applications,
                outbox,
                new StateReports(controlPlane.client()),
                new Suggestions.Whose(new PipedId("p1"), selector),
                () -> now);
    }

    @AfterEach
    void stop() throws Exception {
        repositories.close();
        outbox.close();
        ledger.close();
        controlPlane.close();
    }

    @Test
    void aFileNobodyRegisteredIsSuggestedWithWhatItSays() {
        remote.write(
                        "apps/site/app.pipecd.yaml",
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: TerraformApp
                        spec:
                          name: site
                          description: The shop
                          labels: {team: web}
                        """)
                .commit("Add the site");
        look();

        assertThat(controlPlane.suggested)
                .singleElement()
                .isEqualTo(
                        List.of(
                                ApplicationInfo.newBuilder()
                                        .setName("site")
                                        .setDescription("The shop")
                                        .setKind(ApplicationKind.TERRAFORM)
                                        .putLabels("team", "web")
                                        .setRepoId("demo")
                                        .setPath("apps/site")
                                        .setConfigFilename("app.pipecd.yaml")
                                        .setPipedId("p1")
                                        .build()));
    }

    @Test
    void ofMoreThanAMessageTakesTheFirstAreSuggested() {
        for (var i = 0; i < 10; i++)
            remote.write(
                    "apps/a%d/app.pipecd.yaml".formatted(i),
                    file("a" + i) + "  description: " + "x".repeat(500_000) + "\n");
        remote.commit("Add ten");
        look();

        assertThat(controlPlane.suggested).singleElement().asInstanceOf(LIST).hasSize(7);
    }

    @Test
    void registeringMovingAndDeletingChangeTheListAndNothingElseDoes() {
        write("one", "one").commit("Add one");
        look();
        write("two", "two").commit("Add two");
        look();
        remote.write("readme", "hello").commit("Touch something else");
        look();
        applications.refresh(List.of(application("a1", "one", "one")));
        look();
        remote.git("mv", "two", "three");
        remote.commit("Move two");
        look();
        remote.git("rm", "-r", "-q", "three");
        remote.commit("Delete it");
        look();

        assertThat(controlPlane.suggested)
                .extracting(list -> list.stream().map(ApplicationInfo::getPath).toList())
                .containsExactly(
                        List.of("one"),
                        List.of("one", "two"),
                        List.of("two"),
                        List.of("three"),
                        List.of());
    }

    @Test
    void anApplicationThatIsDeletedAtTheControlPlaneIsSuggestedAgain() {
        write("one", "one").commit("Add one");
        applications.refresh(List.of(application("a1", "one", "one")));
        look();
        applications.refresh(List.of());
        suggestions.look();

        assertThat(controlPlane.suggested)
                .extracting(list -> list.stream().map(ApplicationInfo::getPath).toList())
                .containsExactly(List.of(), List.of("one"));
    }

    @Test
    void suggestionsAreToldAgainNowAndThenAndAnEmptyListOnce() {
        write("one", "one").commit("Add one");
        look();
        now = now.plus(Duration.ofMinutes(11));
        suggestions.look();
        assertThat(controlPlane.suggested).hasSize(2);

        applications.refresh(List.of(application("a1", "one", "one")));
        suggestions.look();
        now = now.plus(Duration.ofMinutes(11));
        suggestions.look();
        assertThat(controlPlane.suggested).hasSize(3);
    }

    @Test
    void onlyWhatTheSelectorNamesIsSuggested() {
        suggestions = suggestions(Map.of("team", "web"));
        write("one", "one").commit("Add one");
        remote.write(
                        "two/app.pipecd.yaml",
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: Application
                        spec:
                          name: two
                          labels: {team: web, env: prod}
                        """)
                .commit("Add two");
        look();

        assertThat(controlPlane.suggested.getFirst())
                .extracting(ApplicationInfo::getName)
                .containsExactly("two");
    }

    @Test
    void brokenNamelessAndTopmostFilesAreLeftOut() {
        remote.write("broken/app.pipecd.yaml", "kind: [")
                .write("nameless/app.pipecd.yaml", file(""))
                .write("app.pipecd.yaml", file("top"))
                .write("fine/app.pipecd.yaml", file("fine"))
                .commit("Add all");
        look();

        assertThat(controlPlane.suggested.getFirst())
                .extracting(ApplicationInfo::getName)
                .containsExactly("fine");
    }

    @Test
    void whatTheFileSaysOfARegisteredApplicationIsReportedOnceUntilItIsTaken() {
        applications.refresh(List.of(application("a1", "one", "old name")));
        write("one", "new name").commit("Rename");
        look();
        suggestions.look();
        await().atMost(Duration.ofMinutes(1)).until(() -> !controlPlane.corrected.isEmpty());
        assertThat(controlPlane.corrected)
                .extracting(ApplicationInfo::getId, ApplicationInfo::getName)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("a1", "new name"));

        applications.refresh(List.of(application("a1", "one", "new name")));
        suggestions.look();
        applications.refresh(List.of(application("a1", "one", "renamed by hand")));
        suggestions.look();
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.corrected.size() == 2);
    }

    @Test
    void labelsThatLookAlikeAreToldApart() {
        assertThat(
                        Stream.of(
                                        Map.<String, String>of(),
                                        Map.of("canary", "canary"),
                                        Map.of("a", "b"),
                                        Map.of("b", "a"),
                                        Map.of("ab", ""))
                                .map(labels -> FoundFiles.digest("one", "", labels)))
                .doesNotHaveDuplicates();
        write("one", "one").commit("Add one");
        applications.refresh(List.of(application("a1", "one", "one")));
        look();
        remote.write("one/app.pipecd.yaml", file("one") + "  labels: {canary: canary}\n")
                .commit("Name it a canary");

        look();

        await().atMost(Duration.ofMinutes(1)).until(() -> !controlPlane.corrected.isEmpty());
        assertThat(controlPlane.corrected)
                .singleElement()
                .extracting(ApplicationInfo::getLabelsMap)
                .isEqualTo(Map.of("canary", "canary"));
    }

    @Test
    void aFileBehindALinkIsFollowed() throws Exception {
        remote.write("base/one", file("one"));
        Files.createDirectories(directory.resolve("remote").resolve("apps"));
        Files.createSymbolicLink(
                directory.resolve("remote").resolve("apps/app.pipecd.yaml"),
                Path.of("../base/one"));
        remote.commit("Link to it");
        look();
        remote.write("base/one", file("two")).commit("Change what is behind the link");
        look();
        remote.git("rm", "-q", "base/one");
        remote.commit("Let it lead nowhere");
        look();
        remote.write("base/one", file("three")).commit("Mend it");
        look();

        assertThat(controlPlane.suggested)
                .extracting(list -> list.stream().map(ApplicationInfo::getName).toList())
                .containsExactly(List.of("one"), List.of("two"), List.of(), List.of("three"));
    }

    @Test
    void aControlPlaneThatWasAwayIsToldLater() {
        write("one", "one").commit("Add one");
        controlPlane.away(true);
        repositories.fetch(DEMO);
        assertThatThrownBy(suggestions::look).isInstanceOf(Problem.class);

        controlPlane.away(false);
        suggestions.look();

        assertThat(controlPlane.suggested).hasSize(1);
    }

    @Test
    void beforeTheFirstFetchNothingIsTold() {
        suggestions.look();

        assertThat(controlPlane.suggested).isEmpty();
    }

    @Test
    void aHistoryThatWasRewrittenIsReadAnew() {
        write("one", "one").commit("Add one");
        look();
        remote.git("checkout", "--quiet", "--orphan", "other");
        remote.git("rm", "-r", "-q", "-f", ".");
        write("two", "two").commit("Begin again");
        remote.git("branch", "--quiet", "-M", "other", "main");
        look();

        assertThat(controlPlane.suggested.getLast())
                .extracting(ApplicationInfo::getPath)
                .containsExactly("two");
    }

    private void look() {
        repositories.fetch(DEMO);
        suggestions.look();
    }

    private GitRemote write(String folder, String name) {
        return remote.write(folder + "/app.pipecd.yaml", file(name));
    }

    private static String file(String name) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: Application
        spec:
          name: "%s"
        """
                .formatted(name);
    }

    private static Application application(String id, String folder, String name) {
        return Application.newBuilder()
                .setId(id)
                .setName(name)
                .setPipedId("p1")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                .setPath(folder)
                                .setConfigFilename("app.pipecd.yaml"))
                .build();
    }
}
