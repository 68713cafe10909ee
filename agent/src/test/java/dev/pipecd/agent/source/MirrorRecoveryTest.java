// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MirrorRecoveryTest {
    private static final RepositoryId ID = new RepositoryId("team/demo repo");

    @TempDir Path temp;
    GitRemote remote;

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
    void aMirrorWhoseObjectsAreGarbageIsClonedAgainByItself() throws IOException {
        assertClonedAgainWithEachObject("garbage");
    }

    @Test
    void aMirrorWhoseObjectsAreCutShortIsClonedAgainByItself() throws IOException {
        assertClonedAgainWithEachObject("");
    }

    /// Between two lives of the agent, the first of which holds open what it has read.
    private void assertClonedAgainWithEachObject(String content) throws IOException {
        var hash = "";
        try (var repositories = open()) {
            hash = repositories.fetch(ID).hash();
        }
        for (var object : files(mirror().resolve("objects"))) {
            object.toFile().setWritable(true);
            Files.writeString(object, content);
        }

        try (var repositories = open()) {
            var head = hash;
            assertThatThrownBy(() -> repositories.read(ID, head, "app/x", 9))
                    .isInstanceOf(Problem.class);
            assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
            assertThat(repositories.read(ID, hash, "app/x", 9)).contains(new byte[] {'1'});
        }
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

    private Repositories open() {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, remote.address(), "main")),
                GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                InstantSource.system());
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
