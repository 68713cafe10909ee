// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShallowTest {
    private static final RepositoryId ID = new RepositoryId("demo");

    @TempDir Path temp;
    GitRemote remote;
    Repositories repositories;
    String first = "";

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        first = remote.write("a/x", "1").write("b/x", "1").commit("one");
        for (var i = 2; i < 6; i++) remote.write("a/x", "" + i).commit("more");
        repositories = cloning("");
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    @Test
    void onlyTheLastCommitsAreCloned() {
        repositories.fetch(ID);

        assertThat(held()).isEqualTo("2");
    }

    @Test
    void whatChangedSinceACommitBeforeTheFirstIsToldAllTheSame() {
        var head = repositories.fetch(ID).hash();

        assertThat(repositories.changedFiles(ID, first, head))
                .isEqualTo(new ChangedFiles.Changed(List.of("a/x")));
        assertThat(repositories.changedFiles(ID, first, head, List.of("b")))
                .isEqualTo(new ChangedFiles.Changed(List.of()));
        assertThat(held()).isEqualTo("2");
    }

    /// The commit before the first that was cloned is not here.
    @Test
    void whatTheFirstCommitChangedIsToldByTheOneThatRuns() {
        repositories.fetch(ID);
        var boundary = remote.git("rev-parse", "main~1");

        assertThat(repositories.changedBy(ID, first, boundary, List.of("a", "b")))
                .containsExactly("a/x");
    }

    @Test
    void whatRunsCanBeReadThoughItIsOlder() {
        repositories.fetch(ID);

        assertThat(repositories.contains(ID, first)).isTrue();
        assertThat(repositories.read(ID, first, "a/x", 10)).hasValue(new byte[] {'1'});
        assertThat(
                        repositories
                                .export(
                                        ID,
                                        first,
                                        "a",
                                        Extent.USUAL,
                                        temp.resolve("work/it"),
                                        _ -> {})
                                .applicationDirectory()
                                .resolve("x"))
                .hasContent("1");
    }

    @Test
    void aCommitThatIsNowhereIsAskedForOnceBetweenTwoFetches() throws Exception {
        var head = repositories.fetch(ID).hash();
        Files.delete(temp.resolve("asked"));

        for (var i = 0; i < 3; i++)
            assertThat(repositories.changedFiles(ID, "1".repeat(40), head))
                    .isEqualTo(new ChangedFiles.HistoryRewritten());

        assertThat(repositories.contains(ID, "no hash")).isFalse();
        assertThat(temp.resolve("asked")).content().containsOnlyOnce("refs/pipecd/");
    }

    @Test
    void manyThatAreWaitedForAreAskedForTogether() throws Exception {
        var older = commits(4);
        repositories.fetch(ID);
        Files.delete(temp.resolve("asked"));

        assertThat(together(older)).containsOnly(true);

        assertThat(questions()).hasSize(2);
        assertThat(held()).isEqualTo("2");
    }

    @Test
    void oneThatIsNowhereKeepsNobodyFromTheOthers() throws Exception {
        var asked = new ArrayList<>(commits(3));
        asked.add(1, "1".repeat(40));
        repositories.fetch(ID);

        assertThat(together(asked)).containsExactly(true, false, true, true);
    }

    private List<String> commits(int count) {
        return remote.git("rev-list", "--skip=2", "--max-count=" + count, "main").lines().toList();
    }

    /// The first is asked for while all the others wait.
    private List<Boolean> together(List<String> commits) throws Exception {
        var hold = Files.createFile(temp.resolve("hold"));
        var answers = new ArrayList<FutureTask<Boolean>>();
        for (var commit : commits) {
            var answer = new FutureTask<>(() -> repositories.contains(ID, commit));
            Thread.ofVirtual().start(answer);
            answers.add(answer);
            var before = answers.size() - 1;
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !questions().isEmpty() && repositories.waiting(ID) == before);
        }
        Files.delete(hold);
        var told = new ArrayList<Boolean>();
        for (var answer : answers) told.add(answer.get());
        return told;
    }

    private List<String> questions() throws IOException {
        if (!Files.exists(temp.resolve("asked"))) return List.of();
        return Files.readAllLines(temp.resolve("asked")).stream()
                .filter(line -> line.contains("refs/pipecd/"))
                .toList();
    }

    @Test
    void aServerThatGivesNoCommitByItsNameIsAskedForAllOfThem() {
        repositories.close();
        repositories = cloning("-c protocol.version=0");
        var head = repositories.fetch(ID).hash();

        assertThat(repositories.changedFiles(ID, first, head))
                .isEqualTo(new ChangedFiles.Changed(List.of("a/x")));
        assertThat(held()).isEqualTo("5");
    }

    @Test
    void aChangeThatBranchedOffBeforeTheFirstCommitIsMerged() {
        remote.git("checkout", "--quiet", "-b", "change", first);
        remote.write("b/x", "changed").commit("change");
        remote.git("checkout", "--quiet", "main");
        var base = repositories.fetch(ID).hash();

        var merged = repositories.merged(ID, base, remote.git("rev-parse", "change"));

        assertThat(repositories.changedFiles(ID, base, merged.hash()))
                .isEqualTo(new ChangedFiles.Changed(List.of("b/x")));
    }

    @Test
    void newCommitsAreAddedAndTheOldStay() {
        var before = repositories.fetch(ID).hash();
        for (var i = 6; i < 10; i++) remote.write("a/x", "" + i).commit("more");
        var head = repositories.fetch(ID).hash();

        assertThat(held()).isEqualTo("6");
        assertThat(repositories.changedFiles(ID, before, head))
                .isEqualTo(new ChangedFiles.Changed(List.of("a/x")));
    }

    private Repositories cloning(String options) {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, remote.address(), "main", 2)),
                GitRemote.program(temp, options),
                InstantSource.system());
    }

    private String held() {
        return remote.git(
                "--git-dir=" + repositories.folder(ID), "rev-list", "--count", "refs/heads/main");
    }
}
