// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MirrorRecoveryTest {
    private static final RepositoryId ID = new RepositoryId("team/demo repo");

    @TempDir Path temp;
    GitRemote remote;
    Instant now = Instant.parse("2027-01-01T00:00:00Z");

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        remote.write("app/x", "1").commit("one");
    }

    @Test
    void aHalfMadeCloneOfAKilledAgentIsRemovedAndMadeAgain() throws IOException {
        var half = temp.resolve("mirrors/" + Folder.HALF_MADE + "demo.git/objects/pack");
        Files.createDirectories(half);
        Files.writeString(half.resolve("tmp_pack_x"), "torn");

        try (var repositories = open()) {
            assertThat(repositories.fetch(ID).subject()).isEqualTo("one");
        }

        assertThat(names(temp.resolve("mirrors")))
                .hasSize(1)
                .allMatch(name -> name.startsWith("team_demo_repo-"));
    }

    @Test
    void locksLeftByAKilledGitAreRemovedAtTheStart() throws IOException {
        try (var repositories = open()) {
            repositories.fetch(ID);
        }
        lock(mirror());
        var next = remote.write("app/x", "2").commit("two");

        try (var repositories = open()) {
            assertThat(repositories.fetch(ID).hash()).isEqualTo(next);
        }
    }

    @Test
    void locksThatAppearWhileTheAgentRunsDoNotStopFetching() throws IOException {
        try (var repositories = open()) {
            repositories.fetch(ID);
            var marker = Files.createFile(mirror().resolve("still-the-same-mirror"));
            lock(mirror());
            var next = remote.write("app/x", "2").commit("two");

            assertThat(repositories.fetch(ID).hash()).isEqualTo(next);
            assertThat(marker).exists();
        }
    }

    @Test
    void aMirrorWithoutItsObjectsIsClonedAgainByItself() throws IOException {
        try (var repositories = open()) {
            repositories.fetch(ID);
            Folder.delete(mirror().resolve("objects"));
            Files.createDirectories(mirror().resolve("objects"));
            var next = remote.write("app/x", "2").commit("two");

            assertThat(repositories.fetch(ID).hash()).isEqualTo(next);
            assertThat(repositories.read(ID, next, "app/x", 9)).contains(new byte[] {'2'});
            assertThat(repositories.health().get(ID)).isInstanceOf(Health.Fetched.class);
        }
    }

    @Test
    void aMirrorWithBrokenReferencesIsClonedAgainByItself() throws IOException {
        try (var repositories = open()) {
            repositories.fetch(ID);
            Files.writeString(mirror().resolve("refs/heads/main"), "garbage");

            assertThat(repositories.fetch(ID).subject()).isEqualTo("one");
        }
    }

    @Test
    void whoeverReadsAMirrorWhoseObjectsAreGarbageHasItClonedAgain() throws IOException {
        assertReadWithEachObject("garbage");
    }

    @Test
    void whoeverReadsAMirrorWhoseObjectsAreCutShortHasItClonedAgain() throws IOException {
        assertReadWithEachObject("");
    }

    /// Between two lives of the agent, the first of which holds open what it has read.
    private void assertReadWithEachObject(String content) throws IOException {
        var hash = fetched();
        for (var object : files(mirror().resolve("objects"))) overwrite(object, content);

        try (var repositories = open()) {
            assertThat(repositories.read(ID, hash, "app/x", 9)).contains(new byte[] {'1'});
        }
    }

    @Test
    void oneFileThatCannotBeReadIsEnough() throws IOException {
        var hash = fetched();
        overwrite(object(remote.git("rev-parse", hash + ":app/x")), "garbage");

        try (var repositories = open()) {
            assertThat(repositories.read(ID, hash, "app/x", 9)).contains(new byte[] {'1'});
        }
    }

    @Test
    void anExportThatComesUponTheDamageBeginsAnew() throws IOException {
        var hash = remote.write("app/y", "2").write("app/z", "3").commit("more");
        fetched();
        overwrite(object(remote.git("rev-parse", hash + ":app/z")), "garbage");

        try (var repositories = open()) {
            var at = temp.resolve("work/it");
            var export = repositories.export(ID, hash, "app", Extent.USUAL, at, _ -> {});
            assertThat(names(export.applicationDirectory()))
                    .containsExactlyInAnyOrder("x", "y", "z");
        }
    }

    @Test
    void aCommitThatIsLostAloneIsNotTakenForOneThatTheServerHasForgotten() throws IOException {
        var lost = fetched();
        remote.write("app/x", "2").commit("two");
        remote.write("app/x", "3").commit("three");
        fetched();
        Files.delete(object(lost));

        try (var repositories = open()) {
            assertThat(repositories.contains(ID, lost)).isTrue();
            assertThat(repositories.read(ID, lost, "app/x", 9)).contains(new byte[] {'1'});
        }
    }

    @Test
    void aPackThatCannotBeReadIsNoReasonToTakeItsCommitsForForgotten() throws IOException {
        var lost = fetched();
        remote.write("app/x", "2").commit("two");
        fetched();
        remote.git("--git-dir=" + mirror(), "gc", "--quiet");
        for (var file : files(mirror().resolve("objects/pack")))
            if (file.toString().endsWith(".pack"))
                overwrite(file, Files.readString(file, ISO_8859_1).substring(0, 100));

        try (var repositories = open()) {
            assertThat(repositories.contains(ID, lost)).isTrue();
        }
    }

    @Test
    void aDamagedMirrorWhoseServerIsAwayIsToldAsThatAndMendedWhenItIsBack() throws IOException {
        var hash = fetched();
        overwrite(object(remote.git("rev-parse", hash + ":app/x")), "garbage");
        var away = Files.move(temp.resolve("remote"), temp.resolve("away"));

        try (var repositories = open()) {
            assertThatThrownBy(() -> repositories.read(ID, hash, "app/x", 9))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("(expected: a remote that answers)");
            Files.move(away, temp.resolve("remote"));
            now = now.plusSeconds(61);
            assertThat(repositories.read(ID, hash, "app/x", 9)).contains(new byte[] {'1'});
        }
    }

    @Test
    void aMirrorThatIsDamagedAgainAndAgainIsClonedEveryTenMinutes() throws IOException {
        var hash = fetched();
        try (var repositories = open()) {
            var file = object(remote.git("rev-parse", hash + ":app/x"));
            overwrite(file, "garbage");
            assertThat(repositories.read(ID, hash, "app/x", 9)).contains(new byte[] {'1'});
            overwrite(file, "garbage");

            assertThatThrownBy(() -> repositories.read(ID, hash, "app/x", 9))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("(expected: a readable mirror)");
            var marker = Files.createFile(mirror().resolve("still-the-same-mirror"));
            assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
            assertThat(marker).exists();
            now = now.plusSeconds(600);
            assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
            assertThat(marker).doesNotExist();
            overwrite(file, "garbage");
            now = now.minusSeconds(3600);
            assertThat(repositories.read(ID, hash, "app/x", 9)).contains(new byte[] {'1'});
        }
    }

    @Test
    void whatIsGoneBecauseTheMirrorWasReplacedMeanwhileIsBroughtOnceMore() {
        var hash = remote.git("rev-parse", "HEAD");
        var read = new AtomicInteger();
        var git = GitBinary.onPath(GitRemote.access(temp.resolve("git")));
        var repository = new Repository(ID, remote.address(), "");

        try (var mirror = new Mirror(temp.resolve("m.git"), repository, git, () -> now, "it")) {
            assertThat(
                            mirror.<Boolean>read(
                                    hash,
                                    Duration.ZERO,
                                    objects -> {
                                        var lacking = read.getAndIncrement() == 0;
                                        objects.treeOf(lacking ? "1".repeat(40) : hash);
                                        return true;
                                    }))
                    .contains(true);
        }
    }

    @Test
    void whatTheServerHasForgottenIsKeptWhereItCanBeRead() throws IOException {
        var one = remote.git("rev-parse", "HEAD");
        remote.git("checkout", "--quiet", "--orphan", "next");
        var two = remote.write("app/x", "2").commit("two");
        var git = GitBinary.onPath(GitRemote.access(temp.resolve("git")));
        var repository = new Repository(ID, remote.address(), "");

        try (var mirror =
                new Mirror(temp.resolve("mirrors/m.git"), repository, git, () -> now, "it")) {
            assertThat(text(mirror, one)).contains("1");
            assertThat(text(mirror, two)).contains("2");
            remote.git("branch", "-D", "main");
            remote.git("reflog", "expire", "--expire=now", "--all");
            remote.git("gc", "--quiet", "--prune=now");
            overwrite(object(remote.git("rev-parse", two + ":app/x")), "garbage");

            assertThat(text(mirror, two)).contains("2");
            assertThat(text(mirror, one)).contains("1");
        }
    }

    private static Optional<String> text(Mirror mirror, String commit) {
        return mirror.read(commit, Duration.ZERO, objects -> objects.read(commit, "app/x", 9))
                .flatMap(content -> content)
                .map(content -> new String(content, ISO_8859_1));
    }

    @Test
    void aBranchThatBecameAFolderOfBranchesIsFollowed() {
        try (var repositories = open()) {
            remote.git("branch", "team");
            repositories.fetch(ID);
            remote.git("branch", "-m", "team", "team/one");
            var next = remote.write("app/x", "2").commit("two");

            assertThat(repositories.fetch(ID).hash()).isEqualTo(next);
        }
    }

    @Test
    void aMirrorWithoutHeadIsMadeAgain() throws IOException {
        try (var repositories = open()) {
            repositories.fetch(ID);
        }
        Files.delete(mirror().resolve("HEAD"));

        try (var repositories = open()) {
            assertThat(repositories.head(ID)).isEmpty();
            assertThat(repositories.fetch(ID).subject()).isEqualTo("one");
        }
    }

    @Test
    void aGitProcessOfAKilledAgentIsEndedBeforeTheMirrorIsUsed() throws Exception {
        try (var repositories = open()) {
            repositories.fetch(ID);
        }
        // Stands for a fetch whose agent was killed: same command line, and it never ends by
        // itself.
        var left =
                ProcessGroup.start(
                        List.of(
                                "sh",
                                "-c",
                                "sleep 600; :",
                                "git",
                                "--git-dir=" + mirror(),
                                "fetch"),
                        Map.of(),
                        Set.of());

        try (var repositories = open()) {
            await().atMost(Duration.ofMinutes(1)).until(() -> !left.process().isAlive());
            assertThat(repositories.fetch(ID).subject()).isEqualTo("one");
        } finally {
            left.kill();
        }
    }

    @Test
    void anAddressChangedUnderTheSameIdIsFollowed() {
        try (var repositories = open()) {
            repositories.fetch(ID);
        }
        var other = GitRemote.init(temp.resolve("other"));
        var hash = other.write("y", "1").commit("elsewhere");
        remote = other;

        try (var repositories = open()) {
            assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
        }
    }

    private String fetched() {
        try (var repositories = open()) {
            return repositories.fetch(ID).hash();
        }
    }

    private Path object(String hash) throws IOException {
        return mirror().resolve("objects/" + hash.substring(0, 2) + "/" + hash.substring(2));
    }

    private static void overwrite(Path object, String content) throws IOException {
        object.toFile().setWritable(true);
        Files.writeString(object, content);
    }

    private Repositories open() {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, remote.address(), "main")),
                GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                () -> now);
    }

    private Path mirror() throws IOException {
        try (var folders = Files.list(temp.resolve("mirrors"))) {
            return folders.findFirst().orElseThrow();
        }
    }

    private static void lock(Path mirror) throws IOException {
        Files.createFile(mirror.resolve("refs/heads/main.lock"));
        Files.createFile(mirror.resolve("packed-refs.lock"));
        Files.createFile(mirror.resolve("HEAD.lock"));
    }

    private static List<Path> files(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
