// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What was deployed and then forgotten by a force-push is still at the server.
final class ForgottenCommitTest {
    private static final RepositoryId ID = new RepositoryId("demo");

    @TempDir Path temp;
    GitRemote remote;
    Repositories repositories;
    Instant now = Instant.parse("2027-01-01T00:00:00Z");
    String forgotten = "";
    String head = "";
    volatile String told = "";

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        remote.write("a/x", "1").write("b/x", "1").commit("one");
        forgotten = remote.write("a/x", "2").commit("two");
        remote.git("reset", "--quiet", "--hard", "HEAD~1");
        head = remote.write("a/x", "3").commit("other two");
        repositories = cloning("");
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    @Test
    void aMirrorClonedAfterAForcePushBringsIt() {
        repositories.fetch(ID);

        assertThat(repositories.changedFiles(ID, forgotten, head))
                .isEqualTo(new ChangedFiles.Changed(List.of("a/x")));
        assertThat(repositories.contains(ID, forgotten)).isTrue();
        assertThat(repositories.read(ID, forgotten, "a/x", 9)).contains(new byte[] {'2'});
    }

    @Test
    void theMirrorStaysWhole() {
        repositories.fetch(ID);
        repositories.contains(ID, forgotten);

        assertThat(repositories.folder(ID).resolve("shallow")).doesNotExist();
        assertThat(
                        remote.git(
                                "--git-dir=" + repositories.folder(ID),
                                "rev-list",
                                "--count",
                                forgotten))
                .isEqualTo("2");
    }

    @Test
    void aMirrorThatWasMendedBringsItAgain() throws IOException {
        repositories.fetch(ID);
        repositories.contains(ID, forgotten);
        Folder.delete(repositories.folder(ID).resolve("objects"));
        Files.createDirectories(repositories.folder(ID).resolve("objects"));
        repositories.fetch(ID);

        assertThat(repositories.read(ID, forgotten, "a/x", 9)).contains(new byte[] {'2'});
    }

    @Test
    void oneThatIsNowhereIsAskedForOnceBetweenTwoFetches() throws IOException {
        repositories.fetch(ID);

        for (var i = 0; i < 3; i++)
            assertThat(repositories.changedFiles(ID, "1".repeat(40), head))
                    .isEqualTo(new ChangedFiles.HistoryRewritten());

        assertThat(asked()).isEqualTo(1);
    }

    @Test
    void aServerThatGivesNoCommitByItsNameHasForgottenIt() {
        repositories.close();
        repositories = cloning("-c protocol.version=0");
        repositories.fetch(ID);

        assertThat(repositories.changedFiles(ID, forgotten, head))
                .isEqualTo(new ChangedFiles.HistoryRewritten());
    }

    @Test
    void aServerThatDoesNotAnswerHasNotForgottenIt() throws IOException {
        repositories.fetch(ID);
        var away = Files.move(temp.resolve("remote"), temp.resolve("away"));

        for (var i = 0; i < 3; i++)
            assertThatThrownBy(() -> repositories.contains(ID, forgotten))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            p ->
                                    assertThat(p.code())
                                            .isEqualTo(Problem.Code.REPOSITORY_UNREACHABLE));
        assertThat(asked()).isEqualTo(1);

        Files.move(away, temp.resolve("remote"));
        now = now.plusSeconds(61);
        assertThat(repositories.contains(ID, forgotten)).isTrue();
    }

    @Test
    void whoWasInterruptedWhileAskingKeepsNobodyElseFromIt() throws Exception {
        repositories.fetch(ID);
        repositories.close();
        var hold = Files.createFile(temp.resolve("hold"));
        repositories = by(holding(hold));
        var asking = Thread.ofVirtual().start(() -> contains(forgotten));
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(temp.resolve("held")));

        asking.interrupt();
        asking.join();
        Files.delete(hold);

        assertThat(told).startsWith("repository demo: ").contains("the wait for it is called off");
        assertThat(repositories.contains(ID, forgotten)).isTrue();
    }

    private void contains(String commit) {
        try {
            repositories.contains(ID, commit);
        } catch (Problem problem) {
            told = problem.told();
        }
    }

    /// A git that waits for as long as there is that file before it asks for a commit by its name.
    private GitBinary holding(Path file) throws IOException {
        var script = temp.resolve("holding-git");
        Files.writeString(
                script,
                """
                #!/bin/sh
                case "$*" in
                  *refs/pipecd/*)
                    touch '%s/held'
                    while [ -e '%s' ]; do sleep 0.05; done;;
                esac
                exec git "$@"
                """
                        .formatted(temp, file));
        script.toFile().setExecutable(true);
        return new GitBinary(
                script.toString(),
                GitRemote.access(temp.resolve("access")),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1));
    }

    /// After a lost disk deployments go on before anybody looked at the repository.
    @Test
    void whoeverAsksBeforeTheFirstCloneWaitsForIt() {
        assertThat(repositories.read(ID, head, "a/x", 9)).contains(new byte[] {'3'});
        assertThat(repositories.contains(ID, forgotten)).isTrue();
    }

    @Test
    void whatCannotBeClonedIsToldToWhoeverAsks() throws IOException {
        Folder.delete(remote.folder);

        assertThatThrownBy(() -> repositories.contains(ID, head))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> assertThat(p.code()).isEqualTo(Problem.Code.REPOSITORY_UNREACHABLE));
    }

    private long asked() throws IOException {
        try (var lines = Files.lines(temp.resolve("asked"))) {
            return lines.filter(line -> line.contains("refs/pipecd/")).count();
        }
    }

    private Repositories cloning(String options) {
        return by(GitRemote.program(temp, options));
    }

    private Repositories by(GitBinary git) {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, remote.address(), "main")),
                git,
                () -> now);
    }
}
