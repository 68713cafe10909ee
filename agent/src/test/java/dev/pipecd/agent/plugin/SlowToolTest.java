// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.plugin.supervise.Timing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SlowToolTest {
    /// A plugin of somebody else gets twice the first: less than the tool takes.
    private static final Timing HURRIED =
            new Timing(
                    Duration.ofSeconds(4),
                    Duration.ofMinutes(5),
                    Duration.ofMillis(50),
                    Duration.ofMillis(50),
                    Duration.ofHours(1),
                    Duration.ofSeconds(5));

    @TempDir Path data;

    @Test
    void aPluginThatWaitsForItsToolIsNotEndedForNotBeingReady() throws Exception {
        var plugin = HostInTest.other(data, "fake", "tool-first 10");
        try (var host = HostInTest.start(data, List.of(plugin), List.of(), HURRIED)) {
            patiently().until(() -> host.health().detail().equals("waits for the tool slow-1"));
            var waiting = host.pid();

            patiently().until(() -> host.health().ok());

            assertThat(host.pid()).isEqualTo(waiting);
        }
    }
}
