// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");
    private static final String FILE =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: any
              trigger: {onCommit: {paths: [%s]}}
              pipeline: {stages: [{name: WAIT, with: {duration: 1s}}]}
            """;

    @TempDir Path temp;
    private GitRemote remote;
    private Repositories repositories;
    private Applications applications;
    private ApplicationFiles files;
    private Index index;

    @BeforeEach
    void start() {
        remote = GitRemote.init(temp.resolve("remote"));
        for (var name : List.of("a", "b", "c")) file(name, "");
        remote.commit("Three applications");
        repositories =
                new Repositories(
                        temp.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                        InstantSource.system());
        applications = new Applications(temp.resolve("applications"));
        applications.refresh(List.of(at("a", "a"), at("b", "b"), at("c", "c")));
        files = new ApplicationFiles(repositories);
        index = new Index(repositories, applications);
    }

    @AfterEach
    void stop() {
        repositories.close();
    }

    @Test
    void theFirstLookIsAtAllAndAQuietRepositoryNeedsNone() {
        assertThat(look()).containsExactly("a", "b", "c");
        assertThat(look()).isEmpty();
    }

    @Test
    void aCommitNeedsALookAtWhatItMayConcern() {
        look();

        remote.write("b/values.yaml", "1").write("docs/readme", "1").commit("Touch b");
        assertThat(look()).containsExactly("b");
        remote.write("docs/readme", "2").commit("Touch nobody");
        assertThat(look()).isEmpty();
        remote.git("rm", "-r", "--quiet", "c");
        remote.commit("Remove c");
        assertThat(look()).containsExactly("c");
    }

    @Test
    void whomACommitThatIsNoHeadMayConcernIsToldToo() {
        file("c", "shared/*");
        remote.commit("Let c watch more");
        var all = List.of(at("a", "a"), at("b", "b"), at("c", "c"));
        look();
        remote.git("checkout", "--quiet", "-b", "change");
        var change = remote.write("b/x", "1").write("shared/x", "1").commit("Change");
        remote.git("checkout", "--quiet", "main");
        repositories.fetch(DEMO);

        assertThat(mayConcern(change, all)).containsExactly("b", "c");
        assertThat(look()).as("it was only asked").isEmpty();
        assertThat(mayConcern(change, List.of(at("a", "moved"), at("new", "new"))))
                .as("not looked at where it is")
                .containsExactly("a", "new");
        assertThat(new Index(repositories, applications).mayConcern(DEMO, change, all))
                .as("nothing was looked at")
                .isEqualTo(all);
    }

    /// What an application is known to watch is known from the head that was looked at.
    @Test
    void whatHeadsThatWereNotLookedAtChangedMayConcernThemToo() {
        look();
        remote.git("checkout", "--quiet", "-b", "change");
        file("a", "shared/*");
        var change = remote.write("shared/x", "1").commit("Change");
        remote.git("checkout", "--quiet", "main");
        repositories.fetch(DEMO);

        assertThat(mayConcern(change, List.of(at("a", "a"), at("b", "b")))).containsExactly("a");
    }

    private List<String> mayConcern(String commit, List<Application> all) {
        return index.mayConcern(DEMO, commit, all).stream().map(Application::getId).toList();
    }

    @Test
    void commitsBetweenTwoLooksCountTogether() {
        look();

        remote.write("a/x", "1").commit("Touch a");
        remote.write("b/x", "1").commit("Touch b");
        remote.git("rm", "--quiet", "a/x");
        remote.commit("Take the first back");

        assertThat(look()).containsExactly("b");
    }

    @Test
    void whatANewHeadConcernsAndWhatWasLeftBeforeItTakeTurns() {
        look();
        remote.write("a/x", "1").write("b/x", "1").commit("Touch a and b");
        assertThat(index.look(DEMO).concerned(repositories.fetch(DEMO)))
                .extracting(ApplicationId::value)
                .containsExactly("a", "b");

        remote.write("c/x", "1").commit("Touch c");

        assertThat(index.look(DEMO).concerned(repositories.fetch(DEMO)))
                .extracting(ApplicationId::value)
                .containsExactly("c", "a", "b");
        assertThat(look()).containsExactly("a", "b", "c");
        assertThat(look()).isEmpty();
    }

    @Test
    void aPatternInTheFileCountsFromTheCommitThatWritesIt() {
        look();
        remote.write("shared/x", "1").commit("Nobody names shared yet");
        assertThat(look()).isEmpty();

        file("c", "shared/**").commit("c names it");
        assertThat(look()).containsExactly("c");
        remote.write("shared/x", "2").commit("Touch it");
        assertThat(look()).containsExactly("c");
        file("c", "").commit("c no longer does");
        assertThat(look()).containsExactly("c");
        remote.write("shared/x", "3").commit("Touch it again");
        assertThat(look()).isEmpty();
    }

    @Test
    void aFileBehindALinkIsFollowed() throws IOException {
        remote.write("shared/app.pipecd.yaml", FILE.formatted(""));
        Files.delete(temp.resolve("remote/a/app.pipecd.yaml"));
        Files.createSymbolicLink(
                temp.resolve("remote/a/app.pipecd.yaml"), Path.of("../shared/app.pipecd.yaml"));
        remote.commit("Link a's file");
        look();

        remote.write("shared/app.pipecd.yaml", FILE.formatted("x")).commit("Change it there");

        assertThat(look()).containsExactly("a");
    }

    @Test
    void aFolderBehindALinkIsFollowed() throws IOException {
        Files.move(temp.resolve("remote/a"), temp.resolve("remote/real"));
        Files.createSymbolicLink(temp.resolve("remote/a"), Path.of("real"));
        remote.commit("Link a");
        look();

        remote.write("real/x", "1").commit("Change it there");
        assertThat(look()).containsExactly("a");
        remote.git("rm", "--quiet", "real/app.pipecd.yaml");
        remote.commit("Remove its file");
        assertThat(look()).containsExactly("a");
        file("real", "").commit("Bring it back");

        assertThat(look()).containsExactly("a");
    }

    @Test
    void historyThatIsGoneNeedsALookAtAll() throws IOException {
        look();
        remote.git("checkout", "--quiet", "--orphan", "fresh");
        remote.commit("All anew");
        remote.git("branch", "-M", "main");
        remote.git("reflog", "expire", "--expire=now", "--all");
        remote.git("gc", "--quiet", "--prune=now");
        delete(temp.resolve("mirrors"));

        assertThat(look()).containsExactly("a", "b", "c");
    }

    @Test
    void whatCouldNotBeComparedIsDueAgainAndWhatIsBrokenOnlyWhenItChanges() {
        remote.write("b/app.pipecd.yaml", "kind: [").commit("Break b");
        assertThat(look()).containsExactly("a", "b", "c");
        assertThat(look()).isEmpty();
        remote.write("b/app.pipecd.yaml", "kind: {").commit("Break it in another way");

        var look = index.look(DEMO);
        assertThat(look.concerned(repositories.fetch(DEMO))).containsExactly(id("b"));
        // Interrupted here: nothing was settled.
        assertThat(look()).containsExactly("b");
        assertThat(look()).isEmpty();
    }

    @Test
    void applicationsThatComeMoveAndGoAreNoticed() {
        look();

        applications.refresh(List.of(at("a", "a"), at("b", "c"), at("new", "c")));
        assertThat(look()).containsExactly("b", "new");
        remote.write("b/x", "1").write("c/x", "1").commit("Touch the folders");
        assertThat(look()).containsExactly("b", "new");
        applications.refresh(List.of(at("a", "a"), at("b", "c")));
        assertThat(look()).isEmpty();
        remote.write("c/x", "2").commit("Touch the folder");
        assertThat(look()).containsExactly("b");
    }

    @Test
    void anApplicationOfAnotherRepositoryIsNotOurs() {
        look();
        var elsewhere = at("a", "a").toBuilder();
        elsewhere.getGitPathBuilder().getRepoBuilder().setId("other");

        applications.refresh(List.of(elsewhere.build(), at("b", "b"), at("c", "c")));
        assertThat(look()).isEmpty();
        remote.write("a/x", "1").commit("Touch its folder here");
        assertThat(look()).isEmpty();
    }

    @Test
    void aDeploymentThatSomebodyElseTriggeredNeedsALook() {
        look();
        applications.refresh(List.of(at("a", "a"), deployed(at("b", "b")), at("c", "c")));

        assertThat(look()).containsExactly("b");
    }

    @Test
    void aPathThatLeavesTheRepositoryIsToldOnceAndConcernsNobodyElse() {
        applications.refresh(List.of(at("a", "a"), at("b", "../etc"), at("c", "c")));

        assertThat(look()).containsExactly("a", "b", "c");
        remote.write("c/x", "1").commit("Touch c");
        assertThat(look()).containsExactly("c");
    }

    @Test
    void tenThousandChangedFilesConcernTheirApplicationsOnce() {
        look();
        remote.commitMany("Generate", 10_000, i -> "a/gen/%d/%d".formatted(i % 100, i));

        assertThat(look()).containsExactly("a");
    }

    @Test
    void aRestartLooksOnlyAtWhatChangedSince() {
        file("c", "shared/**").commit("c names shared");
        look();
        remote.write("b/x", "1").write("shared/x", "1").commit("Touch b and shared");

        restart();

        assertThat(look()).containsExactly("b", "c");
        assertThat(look()).isEmpty();
        remote.write("shared/x", "2").commit("Touch shared");
        assertThat(look()).containsExactly("c");
    }

    @Test
    void aRestartLooksAtWhatCameMovedOrWasDeployedBySomebodyElse() {
        look();
        applications.refresh(
                List.of(at("a", "a"), at("b", "c"), deployed(at("c", "c")), at("new", "c")));

        restart();

        assertThat(look()).containsExactly("b", "c", "new");
        assertThat(look()).isEmpty();
    }

    @Test
    void applicationsThatAreToldLateAreStillKnownFromBefore() {
        look();
        restart();
        applications = new Applications(temp.resolve("empty"));
        index = new Index(repositories, applications);
        assertThat(look()).isEmpty();

        applications.refresh(List.of(at("a", "a"), at("b", "b"), at("c", "c")));
        assertThat(look()).isEmpty();
        remote.write("a/x", "1").commit("Touch a");
        assertThat(look()).containsExactly("a");
    }

    @Test
    void aFileThatIsCutShortOrGarbageIsMadeAgain() throws IOException {
        look();
        var file = repositories.folder(DEMO).resolve("pipecd-index");
        var whole = Files.readAllBytes(file);

        for (var bad : List.of(java.util.Arrays.copyOf(whole, whole.length - 4), new byte[100])) {
            Files.write(file, bad);
            restart();
            assertThat(look()).containsExactly("a", "b", "c");
            assertThat(Files.readAllBytes(file)).hasSize(whole.length);
        }
    }

    @Test
    void whatCouldNotBeComparedIsNotWrittenAsIfItWere() {
        var look = index.look(DEMO);
        var head = repositories.fetch(DEMO);
        look.concerned(head);
        look.settle(applications.find(id("a")).orElseThrow(), head, List.of());
        look.end();

        restart();

        assertThat(look()).containsExactly("a", "b", "c");
    }

    private void restart() {
        applications = new Applications(temp.resolve("applications"));
        index = new Index(repositories, applications);
    }

    private static Application deployed(Application application) {
        return application.toBuilder()
                .setMostRecentlyTriggeredDeployment(
                        ApplicationDeploymentReference.newBuilder()
                                .setDeploymentId("d1")
                                .setStartedAt(5)
                                .setTrigger(
                                        DeploymentTrigger.newBuilder()
                                                .setCommit(
                                                        Commit.newBuilder()
                                                                .setHash("1".repeat(40)))))
                .build();
    }

    /// A look as the trigger makes it.
    private List<String> look() {
        var look = index.look(DEMO);
        var head = repositories.fetch(DEMO);
        var looked = new ArrayList<String>();
        for (var id : look.concerned(head)) {
            var application = applications.find(id).orElseThrow();
            try {
                var config = files.read(application.getGitPath(), head.hash()).config();
                look.settle(application, head, List.of(config.trigger().onCommit()));
            } catch (Problem broken) {
                look.settle(application, head, List.of());
            }
            looked.add(id.value());
        }
        look.end();
        looked.sort(null);
        return looked;
    }

    private GitRemote file(String name, String paths) {
        return remote.write(
                name + "/app.pipecd.yaml",
                FILE.formatted(paths.isEmpty() ? "" : "'" + paths + "'"));
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
                                .setPath(path)
                                .setConfigFilename("app.pipecd.yaml"))
                .build();
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(java.util.Comparator.reverseOrder()).toList())
                Files.delete(file);
        }
    }
}
