// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static dev.pipecd.agent.source.RepositoriesTest.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.source.disk.StaleLocks;
import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A disk that turns bad while the agent runs. A folder too deep to be listed stands for one that
/// cannot be read, since tests may run as a user who may read all.
final class DiskTroubleTest {
    private static final RepositoryId ID = new RepositoryId("demo");

    @TempDir Path temp;
    private Path broken;

    @BeforeEach
    void setUp() {
        broken = temp.resolve("broken");
    }

    @AfterEach
    void tearDown() throws Exception {
        sh("rm -rf \"$0\"", temp.resolve("mirrors"));
    }

    @Test
    void locksAreRemovedWhereTheyCanBe() throws Exception {
        var mirror = temp.resolve("mirrors");
        unlistable(mirror.resolve("refs"));
        var lock = Files.createFile(mirror.resolve("packed-refs.lock"));
        var pack = Files.createDirectories(mirror.resolve("objects/pack"));
        var scratch = Files.createFile(pack.resolve("tmp_pack_x"));

        StaleLocks.remove(mirror);

        assertThat(lock).doesNotExist();
        assertThat(scratch).doesNotExist();
    }

    @Test
    void aDiskThatTurnsReadOnlyIsToldAsSuchWhateverCannotBeRemovedFromIt() throws Exception {
        var remote = GitRemote.init(temp.resolve("remote"));
        remote.write("a", "1").commit("one");
        try (var repositories = repositories(remote)) {
            repositories.fetch(ID);
            unlistable(repositories.folder(ID).resolve("refs/heads"));
            Files.createFile(broken);

            assertProblem(
                    () -> repositories.fetch(ID),
                    Problem.Code.STORE_UNAVAILABLE,
                    "files of repository demo: error: cannot lock ref: Read-only file system"
                            + " (expected: folders the agent can read and write)");
            assertThat(repositories.health().get(ID)).isInstanceOf(Health.Failing.class);
        }
    }

    @Test
    void aDiskThatIsFullIsNoReasonToGiveUpTheCommitsOfASubmodule() throws Exception {
        var remote = GitRemote.init(temp.resolve("remote"));
        var lib = GitRemote.init(temp.resolve("lib"));
        var one = remote.link("app/lib", "../lib", lib.write("text", "1").commit("one"));
        var two = remote.link("app/lib", "../lib", lib.write("text", "2").commit("two"));
        try (var repositories = repositories(remote)) {
            repositories.fetch(ID);
            export(repositories, one, "first");
            Files.createFile(broken);

            assertThatThrownBy(() -> export(repositories, two, "second"))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("Read-only file system");
            Files.move(lib.folder, temp.resolve("away"));
            assertThat(export(repositories, one, "third").resolve("lib/text")).hasContent("1");
        }
    }

    private Path export(Repositories repositories, String commit, String name) {
        return repositories
                .export(ID, commit, "app", Extent.USUAL, temp.resolve("work/" + name), _ -> {})
                .applicationDirectory();
    }

    private Repositories repositories(GitRemote remote) throws IOException {
        var script =
                Files.writeString(
                        temp.resolve("git-on-a-disk"),
                        """
                        #!/bin/sh
                        case " $* " in *" fetch "*)
                            [ -e '%s' ] && { echo "error: cannot lock ref: Read-only file system" >&2; exit 1; };;
                        esac
                        exec git "$@"
                        """
                                .formatted(broken));
        script.toFile().setExecutable(true);
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, remote.address(), "main")),
                new GitBinary(
                        script.toString(),
                        GitRemote.access(temp.resolve("git")),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1)),
                InstantSource.system());
    }

    private static void unlistable(Path folder) throws Exception {
        Files.createDirectories(folder);
        sh(
                "cd \"$0\"; n=$(printf '%0200d' 0); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
                        + " 17 18 19 20 21 22 23 24 25; do mkdir $n && cd -P ./$n || exit 1; done",
                folder);
    }

    private static void sh(String script, Path at) throws Exception {
        var process = new ProcessBuilder("sh", "-c", script, at.toString()).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }
}
