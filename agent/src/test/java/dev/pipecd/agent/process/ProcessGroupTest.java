// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessGroupTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir Path folder;

    @Test
    void whoLeavesInOrderHasItsTimeToDoSo() throws Exception {
        var group = start("trap 'sleep 0.3; echo done >left; exit 0' TERM");

        group.end(PATIENCE);

        assertThat(folder.resolve("left")).hasContent("done");
        assertThat(group.process().exitValue()).isZero();
    }

    @Test
    void whoDoesNotLeaveIsKilledWhenItsTimeIsOver() throws Exception {
        var group = start("trap '' TERM");

        group.end(Duration.ofMillis(200));

        assertThat(group.process().waitFor()).isEqualTo(128 + 9);
    }

    private ProcessGroup start(String trap) throws Exception {
        var script = "cd '%s'; %s; echo up >up; while :; do sleep 0.05; done";
        var group =
                ProcessGroup.start(
                        List.of("sh", "-c", script.formatted(folder, trap)), Map.of(), Set.of());
        await().atMost(PATIENCE).until(() -> Files.exists(folder.resolve("up")));
        return group;
    }
}
