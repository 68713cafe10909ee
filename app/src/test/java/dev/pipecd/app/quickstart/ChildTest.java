// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChildTest {
    @TempDir Path folder;
    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Test
    void aChildThatDiesByItselfIsStartedAgainAndThatIsSaid() throws Exception {
        var child = child("echo started; exec sleep 1000");
        child.start();
        var first = pid();

        ProcessHandle.of(first).orElseThrow().destroyForcibly();

        assertThat(told.poll(1, TimeUnit.MINUTES))
                .isEqualTo(
                        "The agent ended unexpectedly (exit code 137); starting it again. Its log: "
                                + folder.resolve("logs/agent.log"));
        await(() -> pid() != first);
        child.stop();
    }

    @Test
    void aStoppedChildIsGoneAndNotStartedAgain() throws Exception {
        var child = child("exec sleep 1000");
        child.start();
        var pid = pid();

        child.stop();

        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        assertThat(folder.resolve("run/agent.pid")).doesNotExist();
        assertThat(told).isEmpty();
    }

    @Test
    void whatAKilledQuickstartLeftRunningIsEnded() throws Exception {
        var child = child("exec sleep 1000");
        child.start();
        var pid = pid();

        Child.endLeftover(folder.resolve("run/agent.pid"));

        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        child.stop();
    }

    @Test
    void aStrangerWithTheSameProcessIdIsLeftAlone() throws Exception {
        var stranger = new ProcessBuilder("sleep", "1000").start();
        try {
            WholeFile.write(folder.resolve("run/agent.pid"), stranger.pid() + " 12345\n");

            Child.endLeftover(folder.resolve("run/agent.pid"));

            assertThat(stranger.isAlive()).isTrue();
            assertThat(folder.resolve("run/agent.pid")).doesNotExist();
        } finally {
            stranger.destroyForcibly();
        }
    }

    private Child child(String script) {
        var log = folder.resolve("logs/agent.log");
        var program =
                new Child.Program(
                        "agent", List.of("sh", "-c", script), log, folder.resolve("run/agent.pid"));
        return new Child(program, told::add);
    }

    private long pid() throws IOException {
        return Long.parseLong(Files.readString(folder.resolve("run/agent.pid")).split(" ")[0]);
    }

    private static void await(Check check) throws Exception {
        assertThat(
                        Patience.await(
                                Duration.ofMinutes(1),
                                () -> check.holds() ? Optional.of(true) : Optional.empty()))
                .isPresent();
    }

    @FunctionalInterface
    private interface Check {
        boolean holds() throws IOException;
    }
}
