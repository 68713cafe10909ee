// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static dev.pipecd.agent.source.RepositoriesTest.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The `git` program: missing, hanging, slow, without room.
class GitProcessTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");

    @TempDir Path temp;
    private GitRemote remote;

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
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
    void aCloneMayTakeLongerThanItsTimeWhileItWorks() throws IOException {
        var first = remote.write("a", "1").commit("one");
        var comes = "for i in 1 2 3 4 5 6; do echo more >> $mirror/objects/coming; sleep 1; done";
        var works = "timeout 6 sh -c 'while :; do :; done'";

        for (var slowly : List.of(comes, works))
            try (var slow = cloningBy(slowly + "; exec git \"$@\"")) {
                assertThat(slow.fetch(ID).hash()).isEqualTo(first);
            }
    }

    @Test
    void aCloneThatStandsStillIsEndedAndToldHowFarItCame() throws IOException {
        try (var stuck = cloningBy("printf %01000d 0 > $mirror/objects/coming; sleep 600")) {
            assertThatThrownBy(() -> stuck.fetch(ID))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            p ->
                                    assertThat(p.told())
                                            .isEqualTo(
                                                    ("repository demo: %s: 1000 bytes came, then nothing for 4 s"
                                                                    + " (expected: all of it). Check the way to it and its disk and ours; it is tried again by itself."
                                                                    + " With `repositories[].depth` of the agent's configuration a first clone is smaller.")
                                                            .formatted(remote.address())));
        }
    }

    /// A git that does that instead of a fetch, and gets 4 s for a clone.
    private Repositories cloningBy(String fetch) throws IOException {
        var script = Files.createTempFile(temp, "git", ".sh");
        Files.writeString(
                script,
                """
                #!/bin/sh
                for word in "$@"; do case $word in --git-dir=*) mirror=${word#--git-dir=};; esac; done
                case " $* " in *" fetch "*) %s;; esac
                exec git "$@"
                """
                        .formatted(fetch));
        script.toFile().setExecutable(true);
        return new Repositories(
                Files.createTempDirectory(temp, "slow"),
                List.of(new Repository(ID, remote.address(), "main")),
                new GitBinary(
                        script.toString(),
                        GitRemote.access(temp.resolve("git")),
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(4)),
                InstantSource.fixed(NOON));
    }

    @Test
    void withoutGitOnThePathItIsToldWhatToInstall() {
        assertThat(toldWith("git-that-is-not-here"))
                .isEqualTo(
                        "repository demo: /srv/x: there is no program \"git-that-is-not-here\""
                                + " (expected: git on the agent's PATH). Install git where the agent runs; it tries again by itself.");
    }

    @Test
    void aMachineThatStartsNothingIsNotTakenForOneWithoutAProgram() {
        assertThat(toldWith("x".repeat(200_000)))
                .isEqualTo(
                        "repository demo: /srv/x: Cannot run program \"setsid\": Exec failed, error: 7 (Argument list too long)"
                                + " (expected: a machine that starts git). Check how many processes, open files and how much memory"
                                + " the agent may use, and how many it has left; it tries again by itself.");
    }

    private String toldWith(String executable) {
        var git =
                new GitBinary(
                        executable,
                        GitRemote.access(temp.resolve("git")),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(1));
        try (var without =
                new Repositories(
                        temp.resolve("without"),
                        List.of(new Repository(ID, "/srv/x", "main")),
                        git,
                        InstantSource.fixed(NOON))) {
            return catchThrowableOfType(Problem.class, () -> without.fetch(ID)).told();
        }
    }

    @Test
    void aFullDiskIsToldAsSuchAndTheMirrorStays() throws IOException {
        var first = remote.write("a", "1").commit("one");
        var full = temp.resolve("full");
        var script = temp.resolve("git-on-a-disk");
        Files.writeString(
                script,
                """
                #!/bin/sh
                case " $* " in *" fetch "*)
                    [ -e '%1$s' ] && { echo "error: unable to write file ./objects/x: No space left on device" >&2; exit 128; };;
                *" ls-remote "*|*" init "*) [ -e '%1$s' ] && { echo "asked in vain" >&2; exit 1; };;
                esac
                exec git "$@"
                """
                        .formatted(full));
        script.toFile().setExecutable(true);
        var minute = Duration.ofMinutes(1);
        try (var repositories =
                new Repositories(
                        temp.resolve("small"),
                        List.of(new Repository(ID, remote.address(), "main")),
                        new GitBinary(
                                script.toString(),
                                GitRemote.access(temp.resolve("git")),
                                minute,
                                minute),
                        InstantSource.fixed(NOON))) {
            repositories.fetch(ID);
            Files.createFile(full);

            assertThatThrownBy(() -> repositories.fetch(ID))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            p -> {
                                assertThat(p.code()).isEqualTo(Problem.Code.STORE_UNAVAILABLE);
                                assertThat(p.told())
                                        .isEqualTo(
                                                "files of repository demo: error: unable to write file ./objects/x: No space left on device"
                                                        + " (expected: folders the agent can read and write). Give the agent's data directory room and write permission.");
                            });
            assertThat(repositories.read(ID, first, "a", 9)).contains("1".getBytes(UTF_8));

            Files.delete(full);
            var next = remote.write("a", "2").commit("two");
            assertThat(repositories.fetch(ID).hash()).isEqualTo(next);
        }
    }

    @Test
    void aHomeThatCannotBeWrittenIsToldAtTheStart() throws IOException {
        Files.writeString(temp.resolve("file"), "no folder");

        assertThatThrownBy(() ->
                        new Repositories(
                                temp.resolve("file/mirrors"),
                                List.of(),
                                GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                                InstantSource.fixed(NOON)))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.code()).isEqualTo(Problem.Code.STORE_UNAVAILABLE);
                            assertThat(p.message())
                                    .startsWith("git mirrors: ")
                                    .endsWith("(expected: a folder the agent can write)");
                        });
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
}
