// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Many need a submodule whose server is slow, or gone for good.
final class SilentServerTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir Path temp;
    GitRemote remote;
    Mirror mirror;
    Path hold;
    Path gone;
    String one = "";
    String two = "";
    String three = "";
    volatile Instant now = Instant.parse("2027-01-01T00:00:00Z");

    @BeforeEach
    void setUp() throws IOException {
        remote = GitRemote.init(temp.resolve("remote"));
        one = remote.write("x", "1").commit("one");
        two = remote.write("x", "2").commit("two");
        three = remote.write("x", "3").commit("three");
        hold = temp.resolve("hold");
        gone = temp.resolve("gone");
        mirror =
                new Mirror(
                        temp.resolve("mirrors/lib.git"),
                        new Repository(new RepositoryId("lib"), remote.address(), ""),
                        silent(),
                        () -> now,
                        "its repository");
    }

    @AfterEach
    void tearDown() throws IOException {
        Files.deleteIfExists(hold);
        mirror.close();
    }

    @Test
    void ofManyWhoWaitForOneThatIsGoneOnlyTheFirstAsks() throws Exception {
        Files.createFile(gone);
        Files.createFile(hold);
        var first = new Asker(one);
        patiently().until(() -> asked().size() == 1);
        var second = new Asker(one);
        patiently().until(() -> mirror.waiting() == 1);
        var third = new Asker(one);
        patiently().until(() -> mirror.waiting() == 2);

        first.thread.interrupt();
        second.thread.interrupt();
        Files.delete(hold);
        third.thread.join();

        assertThat(third.told).contains("(expected: a remote that answers)");
        assertThat(asked()).hasSize(1);
    }

    @Test
    void whatNobodyWaitsForAnyMoreIsNotFetched() throws Exception {
        Files.createFile(hold);
        var first = new Asker(one);
        patiently().until(() -> asked().size() == 1);
        var second = new Asker(two);
        patiently().until(() -> mirror.waiting() == 1);
        var third = new Asker(three);
        patiently().until(() -> mirror.waiting() == 2);

        first.thread.interrupt();
        second.thread.interrupt();
        first.thread.join();
        second.thread.join();
        Files.delete(hold);
        third.thread.join();

        assertThat(third.told).isEqualTo("true");
        assertThat(asked()).anyMatch(line -> line.contains(one));
        assertThat(asked()).noneMatch(line -> line.contains(two));
    }

    @Test
    void oneThatIsGoneIsAskedAgainWhenWhoeverAsksWouldHaveItAsked() throws Exception {
        Files.createFile(gone);

        assertThat(bring(one, MINUTE)).contains("(expected: a remote that answers)");
        now = now.plusSeconds(59);
        assertThat(bring(two, MINUTE)).contains("(expected: a remote that answers)");
        assertThat(asked()).hasSize(1);
        now = now.plusSeconds(2);
        assertThat(bring(one, MINUTE.multipliedBy(5)))
                .contains("(expected: a remote that answers)");
        assertThat(asked()).hasSize(1);

        Files.delete(gone);
        assertThat(bring(one, MINUTE)).isEqualTo("true");
    }

    @Test
    void whatIsThereAlreadyWaitsForNoFetch() throws Exception {
        assertThat(bring(one, MINUTE)).isEqualTo("true");
        Files.createFile(hold);
        var before = asked().size();
        var other = new Asker(two);
        patiently().until(() -> asked().size() == before + 1);

        var same = new Asker(one);

        assertThat(same.thread.join(SOON)).isTrue();
        assertThat(same.told).isEqualTo("true");
        Files.delete(hold);
        other.thread.join();
    }

    @Test
    void whatCameByATagIsThereTooWhenTheServerIsGone() throws Exception {
        assertThat(bring(one, MINUTE)).isEqualTo("true");
        var mirrored = "--git-dir=" + temp.resolve("mirrors/lib.git");
        remote.git(mirrored, "update-ref", "-d", "refs/pipecd/" + one);
        Files.createFile(gone);
        var before = asked().size();

        assertThat(bring(one, MINUTE)).isEqualTo("true");
        assertThat(asked()).hasSize(before);
    }

    private String bring(String commit, Duration again) {
        try {
            return "" + mirror.bring(commit, again);
        } catch (Problem problem) {
            return problem.message();
        }
    }

    /// Asks for a commit, and keeps what it is told.
    private final class Asker {
        private volatile String told = "";
        private final Thread thread;

        private Asker(String commit) {
            thread = Thread.ofVirtual().start(() -> told = bring(commit, MINUTE));
        }
    }

    /// A git that writes down what it asks a server, waits for as long as there is one file, and is
    /// not answered if there is the other.
    private GitBinary silent() throws IOException {
        var script = temp.resolve("silent-git");
        Files.writeString(
                script,
                """
                #!/bin/sh
                case "$*" in
                  *" fetch "*|*" ls-remote "*)
                    echo "$*" >>'%1$s/asked'
                    while [ -e '%1$s/hold' ]; do sleep 0.05; done
                    if [ -e '%1$s/gone' ]; then
                      echo 'fatal: unable to connect: Connection timed out' >&2
                      exit 128
                    fi;;
                esac
                exec git "$@"
                """
                        .formatted(temp));
        script.toFile().setExecutable(true);
        return new GitBinary(
                script.toString(), GitRemote.access(temp.resolve("access")), MINUTE, MINUTE);
    }

    private List<String> asked() throws IOException {
        var file = temp.resolve("asked");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private static ConditionFactory patiently() {
        return await().atMost(MINUTE).pollInterval(Duration.ofMillis(10));
    }
}
