// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ToolAtStopTest {
    @TempDir Path data;

    @Test
    void anAgentThatStopsDoesNotWaitForATool() throws Exception {
        var plugin = HostInTest.other(data, "fake", "tool-first 600");
        var host = HostInTest.start(data, List.of(plugin), List.of(), HostInTest.QUICK);
        patiently().until(() -> host.health().detail().equals("waits for the tool slow-1"));

        assertTimeoutPreemptively(Duration.ofMinutes(2), host::close);

        assertThat(data.resolve("tools")).isEmptyDirectory();
    }
}
