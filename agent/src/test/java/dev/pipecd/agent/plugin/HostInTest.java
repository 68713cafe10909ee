// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.Secret;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/// Plugins over a real, forked fake host, and what that host left on disk.
record HostInTest(Path data, RecordingCallbacks callbacks, Plugins plugins)
        implements AutoCloseable {
    static final Deployment DEPLOYMENT = Deployment.newBuilder().setId("d1").build();
    static final PipelineStage STAGE =
            PipelineStage.newBuilder().setId("s1").setName("FAKE").build();
    static final SourceDirs TARGET =
            new SourceDirs(
                    Path.of("/app"),
                    Path.of("/.pipe"),
                    "abc",
                    "app.pipecd.yaml",
                    ByteString.copyFromUtf8("x"));

    /// Starts again at once, and calls nothing hung or slow on a busy machine.
    static final Timing QUICK =
            new Timing(
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(5),
                    Duration.ofMillis(50),
                    Duration.ofSeconds(30),
                    Duration.ofHours(1),
                    Duration.ofSeconds(5));

    static HostInTest start(Path data, String behaviour) {
        return start(data, behaviour, QUICK);
    }

    static HostInTest start(Path data, String behaviour, Timing timing) {
        return start(
                data,
                List.of(plugin("fake", "builtin:fake", behaviour)),
                FakeHostCommand.get(),
                timing);
    }

    /// A host that is a few lines of shell: it writes down that it started, then does `then`.
    static HostInTest startScript(Path data, String then, Timing timing) {
        var script = "mkdir -p \"$0\" && echo $$ >>\"$0/starts\"; " + then;
        var command = List.of("sh", "-c", script, data.resolve("plugin-state").toString());
        return start(data, List.of(plugin("fake", "builtin:fake", "")), command, timing);
    }

    /// As `QUICK`, but it takes a host that is silent for so long for one that hangs.
    static Timing quick(Duration silence) {
        return new Timing(
                QUICK.readyWithin(),
                silence,
                QUICK.firstDelay(),
                QUICK.longestDelay(),
                QUICK.healthyAfter(),
                QUICK.grace());
    }

    static HostInTest start(
            Path data, List<PipedConfig.Plugin> entries, List<String> command, Timing timing) {
        var callbacks = new RecordingCallbacks();
        var plugins =
                new Plugins(
                        new PluginSettings(data, entries, command, 0, timing, 100, Notifier.NOBODY),
                        new Programs(data.resolve("programs"), Map.of(), false),
                        new Tools(
                                data.resolve("tools"),
                                new PipedConfig.Tools("", false, Map.of()),
                                Duration.ofMinutes(10)),
                        callbacks,
                        new SecureRandom());
        plugins.start();
        return new HostInTest(data, callbacks, plugins);
    }

    static PipedConfig.Plugin plugin(String name, String url, String behaviour) {
        var config = JsonNodeFactory.instance.objectNode().put("behaviour", behaviour);
        return plugin(name, url, 0, config);
    }

    static PipedConfig.Plugin plugin(String name, String url, int port, ObjectNode config) {
        return new PipedConfig.Plugin(
                name,
                url,
                port,
                config,
                List.of(),
                new PipedConfig.Origin("", "", Secret.written("", ""), Duration.ofMinutes(1)),
                new PipedConfig.Running(100, false));
    }

    static PipedConfig.Plugin isolated(PipedConfig.Plugin plugin) {
        return running(plugin, new PipedConfig.Running(100, true));
    }

    /// One that nobody named.
    static PipedConfig.Plugin standIn(PipedConfig.Plugin plugin) {
        return running(plugin, new PipedConfig.Running(100, false, true));
    }

    /// One that runs one stage at a time.
    static PipedConfig.Plugin narrow(PipedConfig.Plugin plugin) {
        return running(plugin, new PipedConfig.Running(1, false));
    }

    private static PipedConfig.Plugin running(
            PipedConfig.Plugin plugin, PipedConfig.Running running) {
        return new PipedConfig.Plugin(
                plugin.name(),
                plugin.url(),
                plugin.port(),
                plugin.config(),
                plugin.deployTargets(),
                plugin.origin(),
                running);
    }

    /// A plugin of somebody else: one file that can be started.
    static PipedConfig.Plugin other(Path data, String name, String behaviour) throws IOException {
        return other(data, name, behaviour, 0);
    }

    static PipedConfig.Plugin other(Path data, String name, String behaviour, int port)
            throws IOException {
        var file = data.resolve("other-plugin");
        if (!Files.exists(file)) {
            var command =
                    FakeHostCommand.get().stream()
                            .map(word -> "'" + word + "'")
                            .collect(java.util.stream.Collectors.joining(" "));
            Files.writeString(file, "#!/bin/sh\nexec " + command + " \"$@\"\n");
        }
        var config =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("behaviour", behaviour)
                        .put("state", data.resolve("plugin-state").toString());
        return plugin(name, file.toString(), port, config);
    }

    StageAnswer execute() throws InterruptedException {
        return run(STAGE);
    }

    StageAnswer run(PipelineStage stage) throws InterruptedException {
        return run(stage, Leave.GIVEN);
    }

    StageAnswer run(PipelineStage stage, Leave leave) throws InterruptedException {
        return plugins.execute(
                "fake",
                DEPLOYMENT,
                stage,
                ByteString.copyFromUtf8("{}"),
                TARGET,
                Optional.empty(),
                new Plugins.SettingOut(data.resolve("mark-" + stage.getId()), leave));
    }

    List<String> lines(String file) {
        try {
            var path = data.resolve("plugin-state").resolve(file);
            return Files.exists(path) ? Files.readAllLines(path) : List.of();
        } catch (IOException e) {
            return List.of();
        }
    }

    long pid() {
        return Long.parseLong(lines("starts").getLast());
    }

    void finish(String answer) throws IOException {
        var half = data.resolve("plugin-state/finish.tmp");
        Files.writeString(half, answer);
        Files.move(half, data.resolve("plugin-state/finish"));
    }

    PluginHealth health() {
        return plugins.health().getFirst();
    }

    /// For what a JVM has to start for, on a machine that may be busy.
    static ConditionFactory patiently() {
        return Awaitility.await().atMost(Duration.ofMinutes(5));
    }

    static void awaitGone(long pid) {
        patiently().until(() -> ProcessGroup.startOf(pid).isEmpty());
    }

    @Override
    public void close() {
        plugins.close();
    }
}
