// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.config.PipedConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecoveryTest {
    private static final Timing TIMING =
            new Timing(
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(4),
                    Duration.ofMillis(50),
                    Duration.ofMillis(50),
                    Duration.ofHours(1),
                    Duration.ofSeconds(5));

    @TempDir Path data;

    private final List<Event> told = new CopyOnWriteArrayList<>();

    @Test
    void aPluginThatIsGivenUpIsLookedForAnewAndToldHealthyWhenItLivesOn() throws Exception {
        var plugin = HostInTest.other(data, "fake", "good");
        var file = data.resolve("other-plugin");
        var away = Files.move(file, data.resolve("away"));
        try (var plugins = plugins(plugin)) {
            plugins.start();
            patiently().until(() -> told.size() == 1);

            Files.move(away, file);

            patiently().until(() -> told.size() == 2);
            assertThat(told.getFirst()).isInstanceOf(Event.PluginUnhealthy.class);
            assertThat(told.getLast()).isEqualTo(new Event.PluginHealthy("fake"));
        }
    }

    private Plugins plugins(PipedConfig.Plugin plugin) {
        return new Plugins(
                new PluginSettings(data, List.of(plugin), List.of(), 0, TIMING, 100, told::add),
                new Programs(data.resolve("programs"), Map.of(), false),
                new Tools(
                        data.resolve("tools"),
                        new PipedConfig.Tools("", false, Map.of()),
                        Duration.ofMinutes(1)),
                new RecordingCallbacks(),
                new SecureRandom());
    }
}
