// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whose numbers a recorded process and its group have.
class LeaderTest {
    @TempDir Path home;

    @Test
    void aProcessThatIsGoneIsNotReplacedByNobody() throws Exception {
        var directory = new RunDirectory(home);
        directory.begin(new Script("true", Map.of(), home)).waitFor();

        assertThat(directory.leaders().getFirst().replaced()).isFalse();
    }

    @Test
    void whoeverIsOlderThanTheFirstProcessIsNotOfThisContainer() throws Exception {
        var first = ProcessStat.of(1).orElseThrow();
        var nobody = 1L << 40;

        assertThat(new Leader(nobody, first.start(), Leader.thisBoot()).replaced()).isFalse();
        assertThat(new Leader(nobody, first.start() - 1, Leader.thisBoot()).replaced()).isTrue();
    }

    @Test
    void aGroupOfTheSameNumberInAnotherSessionIsSomebodyElses() throws Exception {
        // `timeout` makes a group of its own, in the session of who calls it.
        var shell =
                new ProcessBuilder(
                                "setsid", "/bin/sh", "-c", "timeout 600 sleep 600 & echo $!; wait")
                        .start();
        var session = new ProcessGroup(shell.pid());
        var other = Long.parseLong(shell.inputReader().readLine());
        await().atMost(Duration.ofMinutes(5)).until(() -> group(other) == other);

        assertThat(new ProcessGroup(other).end()).isFalse();
        assertThat(session.members()).contains(other);

        assertThat(session.end()).isTrue();
        assertThat(session.members()).isEmpty();
    }

    private static long group(long process) {
        return ProcessStat.of(process).orElseThrow().group();
    }
}
