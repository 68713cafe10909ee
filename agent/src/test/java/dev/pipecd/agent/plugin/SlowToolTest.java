// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.wire.model.PipelineStage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SlowToolTest {
    /// A plugin of somebody else gets twice the first: less than the tool takes.
    private static final Timing HURRIED =
            new Timing(
                    Duration.ofSeconds(5),
                    Duration.ofMinutes(5),
                    Duration.ofMillis(50),
                    Duration.ofMillis(50),
                    Duration.ofHours(1),
                    Duration.ofSeconds(5));

    @TempDir Path data;

    @Test
    void aPluginThatWaitsForItsToolWhilePlanningIsAskedAgain() throws Exception {
        var plugin = HostInTest.plugin("fake", "builtin:fake", "good");
        try (var plugins = plugins(plugin, Duration.ofSeconds(5))) {
            plugins.start();

            var planned = plugins.buildPipelineSyncStages("fake", asked("tool 7"), true);

            assertThat(planned).extracting(PipelineStage::getName).containsExactly("FAKE");
        }
    }

    @Test
    void aPluginThatHasItsToolAndHangsIsNotAskedOverAndOver() throws Exception {
        var plugin = HostInTest.plugin("fake", "builtin:fake", "good");
        try (var plugins = plugins(plugin, Duration.ofSeconds(5))) {
            plugins.start();
            var _ = plugins.buildPipelineSyncStages("fake", asked("tool 0"), true);

            assertThatThrownBy(() ->
                            plugins.buildPipelineSyncStages("fake", asked("tool hang 0"), true))
                    .hasMessage("plugin fake: no answer in time (expected: an answer)");
            assertThat(Files.readAllLines(data.resolve("plugin-state/headers")))
                    .filteredOn(call -> call.startsWith("BuildPipelineSyncStages"))
                    .hasSizeBetween(2, 3);
        }
    }

    private static List<StageToPlan> asked(String wish) {
        return List.of(new StageToPlan("FAKE", "", 0, ByteString.copyFromUtf8(wish)));
    }

    private Plugins plugins(PipedConfig.Plugin plugin, Duration plannedWithin) {
        return new Plugins(
                new PluginSettings(
                        data,
                        List.of(plugin),
                        FakeHostCommand.get(),
                        0,
                        HostInTest.QUICK,
                        100,
                        Notifier.NOBODY),
                new Programs(data.resolve("programs"), Map.of(), false),
                new Tools(
                        data.resolve("tools"),
                        new PipedConfig.Tools("", false, Map.of()),
                        Duration.ofMinutes(1)),
                new RecordingCallbacks(),
                new SecureRandom(),
                plannedWithin);
    }

    @Test
    void aPluginThatWaitsForItsToolIsNotEndedForNotBeingReady() throws Exception {
        var plugin = HostInTest.other(data, "fake", "tool-first 12");
        try (var host = HostInTest.start(data, List.of(plugin), List.of(), HURRIED)) {
            patiently().until(() -> host.health().detail().equals("waits for the tool slow-1"));
            var waiting = host.pid();

            patiently().until(() -> host.health().ok());

            assertThat(host.pid()).isEqualTo(waiting);
        }
    }

    @Test
    void aPluginThatAsksForARefusedToolAgainAndAgainIsNotReadyForThatReason() throws Exception {
        var why =
                "tool: slow-1 cannot be installed: its script ended with exit code 7 and said: \"no route\"";
        var advice = "Check the network and the proxy; or put it into `tools.directory`.";
        var plugin = HostInTest.other(data, "fake", "tool-first refused");
        try (var host = HostInTest.start(data, List.of(plugin), List.of(), HURRIED)) {
            patiently()
                    .until(
                            host::health,
                            new PluginHealth("fake", false, "starting; " + why, advice)::equals);

            patiently()
                    .until(
                            host::health,
                            new PluginHealth(
                                            "fake",
                                            false,
                                            "the plugin was not ready within 10 s; %s and is started again"
                                                    .formatted(why),
                                            advice)
                                    ::equals);
        }
    }
}
