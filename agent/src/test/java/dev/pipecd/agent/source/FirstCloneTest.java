// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// After a lost disk many wait for one clone, and some of them are called off.
final class FirstCloneTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir Path temp;
    Repositories repositories;
    Path hold;
    String head = "";

    @BeforeEach
    void setUp() throws IOException {
        var remote = GitRemote.init(temp.resolve("remote"));
        head = remote.write("a/x", "1").commit("one");
        hold = Files.createFile(temp.resolve("hold"));
        repositories =
                new Repositories(
                        temp.resolve("mirrors"),
                        List.of(new Repository(ID, remote.address(), "main")),
                        holding(),
                        InstantSource.system());
    }

    @AfterEach
    void tearDown() throws IOException {
        Files.deleteIfExists(hold);
        repositories.close();
    }

    @Test
    void whoIsCalledOffWhileItIsMadeKeepsItFromNobodyElse() throws Exception {
        var first = new Asker();
        patiently().until(() -> fetches() == 1);
        var second = new Asker();
        patiently().until(() -> repositories.waiting(ID) == 1);
        var third = new Asker();
        patiently().until(() -> repositories.waiting(ID) == 2);

        first.thread.interrupt();
        second.thread.interrupt();
        var firstLeft = first.thread.join(SOON);
        var secondLeft = second.thread.join(SOON);
        Files.delete(hold);
        third.thread.join();

        assertThat(third.told).isEqualTo("true");
        assertThat(firstLeft).isTrue();
        assertThat(secondLeft).isTrue();
        assertThat(first.told)
                .isEqualTo(
                        "repository demo: file://%s: the wait for it is called off (expected: to wait until it is fetched) (interrupted)"
                                .formatted(temp.resolve("remote")));
        assertThat(clones()).isEqualTo(1);
        assertThat(repositories.health().get(ID)).isInstanceOf(Health.Fetched.class);
    }

    @Test
    void theEndOfTheAgentEndsItThoughNobodyWaits() throws Exception {
        var asking = new Asker();
        patiently().until(() -> fetches() == 1);
        asking.thread.interrupt();
        asking.thread.join();
        assertThat(gitProcesses()).isPositive();

        repositories.close();

        assertThat(gitProcesses()).isZero();
        assertThatThrownBy(() -> repositories.contains(ID, head))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("the wait for it is called off");
    }

    @Test
    void theEndOfTheAgentIsToldToWhoeverWaits() throws Exception {
        var first = new Asker();
        patiently().until(() -> fetches() == 1);
        var second = new Asker();
        patiently().until(() -> repositories.waiting(ID) == 1);

        repositories.close();

        assertThat(first.thread.join(SOON)).isTrue();
        assertThat(second.thread.join(SOON)).isTrue();
        assertThat(first.told).contains("interrupted: the agent is stopping");
        assertThat(second.told).contains("the wait for it is called off");
        assertThat(fetches()).isEqualTo(1);
    }

    /// Asks for the head, and keeps what it is told.
    private final class Asker {
        private volatile String told = "";
        private final Thread thread = Thread.ofVirtual().start(this::ask);

        private void ask() {
            try {
                told = "" + repositories.contains(ID, head);
            } catch (Problem problem) {
                told = problem.message();
            }
            if (Thread.currentThread().isInterrupted()) told += " (interrupted)";
        }
    }

    /// A git that fetches nothing for as long as there is that file.
    private GitBinary holding() throws IOException {
        var script = temp.resolve("holding-git");
        Files.writeString(
                script,
                """
                #!/bin/sh
                case "$*" in
                  *" fetch "*)
                    echo "$*" >>'%1$s/fetches'
                    while [ -e '%1$s/hold' ]; do sleep 0.05; done;;
                esac
                exec git "$@"
                """
                        .formatted(temp));
        script.toFile().setExecutable(true);
        return new GitBinary(
                script.toString(),
                GitRemote.access(temp.resolve("access")),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1));
    }

    private long fetches() throws IOException {
        return lines("");
    }

    private long clones() throws IOException {
        return lines("/.tmp-");
    }

    private long lines(String with) throws IOException {
        var file = temp.resolve("fetches");
        if (!Files.exists(file)) return 0;
        return Files.readAllLines(file).stream().filter(line -> line.contains(with)).count();
    }

    private long gitProcesses() {
        var ours = temp.resolve("holding-git").toString();
        return ProcessHandle.allProcesses()
                .filter(process ->
                        List.of(process.info().arguments().orElse(new String[0])).contains(ours))
                .count();
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(10));
    }
}
