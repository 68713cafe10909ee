// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoriesTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");

    @TempDir Path temp;
    GitRemote remote;
    Repositories repositories;

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        repositories = open(remote.address());
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    @Test
    void aFetchTellsTheHeadOfTheConfiguredBranch() {
        var hash =
                remote.write("app/app.pipecd.yaml", "x")
                        .commit("Add the app\n\nWith a body.\nTwo lines.");

        var head = repositories.fetch(ID);

        assertThat(head)
                .returns(hash, Commit::hash)
                .returns("Add the app", Commit::subject)
                .returns("With a body.\nTwo lines.", Commit::body)
                .returns("Ann", Commit::author)
                .returns("main", Commit::branch);
        assertThat(repositories.head(ID)).hasValue(head);
        assertThat(repositories.health()).containsEntry(ID, new Health.Fetched(head, NOON));
    }

    @Test
    void aSecondFetchSeesTheNextCommitAtOnce() {
        remote.write("a", "1").commit("one");
        repositories.fetch(ID);

        for (var i = 2; i < 8; i++) {
            var hash = remote.write("a", "" + i).commit("next");
            assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
        }
    }

    @Test
    void theHeadIsKnownWithoutNetworkAfterARestart() throws IOException {
        var hash = remote.write("a", "1").commit("one");
        repositories.fetch(ID);
        repositories.close();
        Folder.delete(remote.folder);

        repositories = open(remote.address());

        assertThat(repositories.head(ID)).map(Commit::hash).hasValue(hash);
    }

    @Test
    void beforeTheFirstFetchNothingIsKnown() {
        assertThat(repositories.head(ID)).isEmpty();
        assertThat(repositories.health().get(ID)).isEqualTo(new Health.NotFetchedYet());
        assertProblem(
                () -> repositories.commit(ID, "0".repeat(40)),
                Problem.Code.REPOSITORY_UNREACHABLE,
                "repository demo: no mirror yet (expected: a first fetch)");
    }

    @Test
    void anEmptyRepositoryIsToldAndRecoversWithItsFirstCommit() {
        assertProblem(
                () -> repositories.fetch(ID),
                Problem.Code.REPOSITORY_EMPTY,
                "repository demo: %s has no commit (expected: branch main)"
                        .formatted(remote.address()));

        var hash = remote.write("a", "1").commit("one");
        assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
    }

    @Test
    void aVanishedBranchIsToldWithTheBranchesThereAre() {
        remote.write("a", "1").commit("one");
        repositories.fetch(ID);
        remote.git("branch", "-m", "main", "trunk");

        assertProblem(
                () -> repositories.fetch(ID),
                Problem.Code.REPOSITORY_BRANCH_MISSING,
                "repository demo: no branch \"main\" (expected: one of trunk)");
        assertThat(repositories.health().get(ID)).isInstanceOf(Health.Failing.class);

        remote.git("branch", "-m", "trunk", "main");
        assertThat(repositories.fetch(ID).subject()).isEqualTo("one");
        assertThat(repositories.health().get(ID)).returns(true, Health::ok);
    }

    @Test
    void aVanishedRepositoryIsToldAndStaysReadable() throws IOException {
        var hash = remote.write("a", "1").commit("one");
        repositories.fetch(ID);
        Files.move(remote.folder, temp.resolve("elsewhere"));

        assertThatThrownBy(() -> repositories.fetch(ID))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.code()).isEqualTo(Problem.Code.REPOSITORY_UNREACHABLE);
                            assertThat(p.message())
                                    .startsWith("repository demo: " + remote.address() + ": ")
                                    .contains("does not appear to be a git repository")
                                    .endsWith("(expected: a remote that answers)");
                            assertThat(p.advice())
                                    .isEqualTo(
                                            "Check the address and that this machine may read it: git ls-remote "
                                                    + remote.address());
                        });
        assertThat(repositories.read(ID, hash, "a", 10)).contains("1".getBytes(UTF_8));

        Files.move(temp.resolve("elsewhere"), remote.folder);
        assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
    }

    @Test
    void aForcePushIsFollowedAndTheOldCommitStaysKnown() {
        remote.write("a", "1").commit("one");
        var old = remote.write("a", "2").commit("two");
        repositories.fetch(ID);
        remote.git("reset", "--quiet", "--hard", "HEAD~1");
        var rewritten = remote.write("b", "3").commit("other two");

        assertThat(repositories.fetch(ID).hash()).isEqualTo(rewritten);
        assertThat(repositories.contains(ID, old)).isTrue();
        assertThat(repositories.changedFiles(ID, old, rewritten))
                .isEqualTo(new ChangedFiles.Changed(List.of("a", "b")));
    }

    @Test
    void remotesThatAreOptionsOrProgramsAreRefused() {
        for (var bad :
                List.of("ext::sh -c touch% /tmp/x", "--upload-pack=touch /tmp/x", "", "a\nb"))
            try (var refusing = open(bad)) {
                assertThatThrownBy(() -> refusing.fetch(ID))
                        .isInstanceOfSatisfying(
                                Problem.class,
                                p -> assertThat(p.code()).isEqualTo(Problem.Code.SETTING_INVALID));
                assertThat(refusing.health().get(ID)).isInstanceOf(Health.Failing.class);
            }
    }

    @Test
    void passwordsInARemoteAreNeverShown() {
        try (var secret = open("https://ann:hunter2@localhost:1/x.git")) {
            assertThatThrownBy(() -> secret.fetch(ID))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            p ->
                                    assertThat(p.told())
                                            .contains("https://localhost:1/x.git")
                                            .doesNotContain("hunter2"));
        }
    }

    @Test
    void aGitThatHangsIsKilledWithItsChildren() throws IOException {
        var pids = temp.resolve("pids");
        var script = temp.resolve("hanging-git");
        Files.writeString(
                script, "#!/bin/sh\nsleep 600 &\necho $$ $! > '%s'\nwait\n".formatted(pids));
        script.toFile().setExecutable(true);
        var git =
                new GitBinary(
                        script.toString(),
                        GitRemote.access(temp.resolve("git")),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(5));
        try (var hanging =
                new Repositories(
                        temp.resolve("hanging"),
                        List.of(new Repository(ID, remote.address(), "main")),
                        git,
                        InstantSource.fixed(NOON))) {
            assertProblem(
                    () -> hanging.fetch(ID),
                    Problem.Code.REPOSITORY_UNREACHABLE,
                    "repository demo: %s: no answer within 5 s (expected: a remote that answers)"
                            .formatted(remote.address()));
        }
        for (var pid : Files.readString(pids).strip().split(" "))
            patiently()
                    .until(() ->
                            dev.pipecd.agent.process.ProcessGroup.startOf(Long.parseLong(pid))
                                    .isEmpty());
    }

    @Test
    void aFetchThatWasCutOffGetsTheTimeOfACloneNext() {
        remote.write("a", "1").commit("one");
        var git =
                new GitBinary(
                        "git",
                        GitRemote.access(temp.resolve("git")),
                        Duration.ZERO,
                        Duration.ofMinutes(5));
        try (var slow =
                new Repositories(
                        temp.resolve("slow"),
                        List.of(new Repository(ID, remote.address(), "main")),
                        git,
                        InstantSource.fixed(NOON))) {
            slow.fetch(ID);
            var next = remote.write("a", "2").commit("two");

            assertThatThrownBy(() -> slow.fetch(ID)).hasMessageContaining("no answer within");
            assertThat(slow.fetch(ID).hash()).isEqualTo(next);
        }
    }

    @Test
    void withoutGitOnThePathItIsToldWhatToInstall() {
        var git =
                new GitBinary(
                        "git-that-is-not-here",
                        GitRemote.access(temp.resolve("git")),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1));
        try (var without =
                new Repositories(
                        temp.resolve("without"),
                        List.of(new Repository(ID, "/srv/x", "main")),
                        git,
                        InstantSource.fixed(NOON))) {
            assertThatThrownBy(() -> without.fetch(ID))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            p ->
                                    assertThat(p.told())
                                            .isEqualTo(
                                                    "repository demo: /srv/x: there is no program \"git-that-is-not-here\""
                                                            + " (expected: git on the agent's PATH). Install git where the agent runs; it tries again by itself."));
        }
    }

    @Test
    void callersThatAskDuringAFetchShareTheNextOne() throws Exception {
        var first = remote.write("a", "1").commit("one");
        var starts = temp.resolve("starts");
        var go = temp.resolve("go");
        var script = temp.resolve("slow-git");
        Files.writeString(
                script,
                """
                #!/bin/sh
                case " $* " in *" fetch "*) echo x >> '%s'; git "$@"; r=$?; while [ ! -e '%s' ]; do sleep 0.05; done; exit $r;; esac
                exec git "$@"
                """
                        .formatted(starts, go));
        script.toFile().setExecutable(true);
        var git =
                new GitBinary(
                        script.toString(),
                        GitRemote.access(temp.resolve("git")),
                        Duration.ofMinutes(5),
                        Duration.ofMinutes(5));
        try (var slow =
                        new Repositories(
                                temp.resolve("slow"),
                                List.of(new Repository(ID, remote.address(), "main")),
                                git,
                                InstantSource.fixed(NOON));
                var threads = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {
            var running = threads.submit(() -> slow.fetch(ID).hash());
            patiently().until(() -> Files.exists(starts));
            patiently()
                    .until(() ->
                            Files.exists(temp.resolve("slow"))
                                    && hasRef(temp.resolve("slow"), first));
            var second = remote.write("a", "2").commit("two");
            var waiting = new java.util.ArrayList<java.util.concurrent.Future<String>>();
            var asked = new java.util.concurrent.CountDownLatch(5);
            for (var i = 0; i < 5; i++)
                waiting.add(
                        threads.submit(() -> {
                            asked.countDown();
                            return slow.fetch(ID).hash();
                        }));
            asked.await();
            patiently().until(() -> slow.waiting(ID) == 5);
            Files.createFile(go);

            assertThat(running.get()).isEqualTo(first);
            for (var one : waiting) assertThat(one.get()).isEqualTo(second);
            assertThat(Files.readAllLines(starts)).hasSize(2);
        }
    }

    private static ConditionFactory patiently() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }

    private static boolean hasRef(Path root, String hash) throws IOException {
        try (var files = Files.walk(root)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.endsWith("main"))
                    .anyMatch(file -> contains(file, hash));
        } catch (java.io.UncheckedIOException e) {
            return false;
        }
    }

    private static boolean contains(Path file, String hash) {
        try {
            return Files.readString(file).contains(hash);
        } catch (IOException e) {
            return false;
        }
    }

    private Repositories open(String address) {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, address, "main")),
                GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                InstantSource.fixed(NOON));
    }

    static void assertProblem(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call,
            Problem.Code code,
            String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message()).isEqualTo(message);
                            assertThat(p.code()).isEqualTo(code);
                        });
    }
}
