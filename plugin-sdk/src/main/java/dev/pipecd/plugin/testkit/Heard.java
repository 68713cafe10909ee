// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.testkit;

import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.StageCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// What plugins told a [FakeAgent]; log lines by their index, as the control plane keeps them.
public final class Heard {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Map<String, Integer> ports = new HashMap<>();
    private final Map<String, List<String>> mistakes = new HashMap<>();
    private final Map<String, Map<String, Reads>> reads = new HashMap<>();
    private final Map<String, String> notOffered = new HashMap<>();
    private final Map<String, TreeMap<Long, String>> lines = new HashMap<>();
    private final List<String> contradictions = new ArrayList<>();
    private final Set<String> completed = new HashSet<>();
    private final Map<String, Map<String, String>> metadata = new HashMap<>();
    private final Map<String, String> pluginMetadata = new HashMap<>();
    private final Map<String, List<StageCommand>> commands = new HashMap<>();
    private final Map<String, Integer> asked = new HashMap<>();
    private final Map<String, byte[]> kept = new HashMap<>();
    private final Map<String, Integer> spoken = new HashMap<>();
    private final List<String> refused = new ArrayList<>();
    private final Map<String, Path> tools = new HashMap<>();
    private final List<String> toolsMissing = new ArrayList<>();
    private boolean deaf;
    private int pings;
    private int missed;

    Heard() {}

    synchronized void ready(String plugin, int port, List<String> wrong) {
        ports.put(plugin, port);
        mistakes.put(plugin, List.copyOf(wrong));
        notifyAll();
    }

    synchronized void reads(String plugin, Map<String, Reads> byStage) {
        reads.put(plugin, Map.copyOf(byStage));
    }

    synchronized void notOffered(String plugin, String builtin) {
        notOffered.put(plugin, builtin);
    }

    synchronized void ping() {
        pings++;
        notifyAll();
    }

    synchronized void line(String stage, long index, String line) {
        spoke(stage);
        var before = lines.computeIfAbsent(stage, _ -> new TreeMap<>()).putIfAbsent(index, line);
        if (before != null && !before.equals(line))
            contradictions.add(index + ": " + before + " | " + line);
    }

    private void spoke(String stage) {
        spoken.merge(stage, 1, Integer::sum);
        notifyAll();
    }

    synchronized void refused(String why) {
        refused.add(why);
    }

    synchronized void tool(String name, Path program) {
        tools.put(name, program);
    }

    synchronized Optional<Path> tool(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    synchronized void toolMissing(String name) {
        toolsMissing.add(name);
    }

    synchronized void completed(String stage) {
        completed.add(stage);
        spoke(stage);
    }

    synchronized void command(String stage, StageCommand command) {
        commands.computeIfAbsent(stage, _ -> new ArrayList<>()).add(command);
        notifyAll();
    }

    synchronized void askedForCommands(String stage) {
        asked.merge(stage, 1, Integer::sum);
    }

    /// Whether there is one that is not among those seen; waits a second for it at most.
    synchronized boolean awaitCommand(String stage, List<String> seen) throws InterruptedException {
        var deadline = System.nanoTime() + 1_000_000_000;
        while (!anyOther(stage, seen)) {
            var left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) return false;
            wait(left);
        }
        return true;
    }

    private boolean anyOther(String stage, List<String> seen) {
        return commands(stage).stream().anyMatch(command -> !seen.contains(command.id()));
    }

    /// How often a plugin has asked for orders about a stage.
    public synchronized int askedForCommandsOf(String stage) {
        return asked.getOrDefault(stage, 0);
    }

    synchronized List<StageCommand> commands(String stage) {
        return List.copyOf(commands.getOrDefault(stage, List.of()));
    }

    synchronized void put(String stage, Map<String, String> entries) {
        spoke(stage);
        metadata.computeIfAbsent(stage, _ -> new HashMap<>()).putAll(entries);
    }

    synchronized void keep(String plugin, String key, byte[] content) {
        kept.put(plugin + "/" + key, content);
    }

    synchronized Optional<byte[]> kept(String plugin, String key) {
        return Optional.ofNullable(kept.get(plugin + "/" + key));
    }

    synchronized void putPlugin(String plugin, String key, String value) {
        pluginMetadata.put(plugin + "/" + key, value);
    }

    /// What a plugin that is ready says about its configuration.
    public synchronized List<String> mistakes(String plugin) {
        return mistakes.getOrDefault(plugin, List.of());
    }

    /// What a plugin that is ready says its stages read, by stage.
    public synchronized Map<String, Reads> reads(String plugin) {
        return reads.getOrDefault(plugin, Map.of());
    }

    /// Waits until a plugin says that it is ready, at most five minutes: a busy machine takes its
    /// time to start a process.
    public synchronized int awaitPort(String plugin) throws InterruptedException {
        var deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!ports.containsKey(plugin)) {
            var left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0)
                throw new IllegalStateException(
                        "plugin: " + plugin + " (expected: ready within 5 min)");
            wait(left);
        }
        return ports.getOrDefault(plugin, 0);
    }

    /// The built-ins a host was to serve and does not have, by plugin.
    public synchronized Map<String, String> notOffered() {
        return Map.copyOf(notOffered);
    }

    /// Before another host is started.
    public synchronized void forgetPorts() {
        ports.clear();
    }

    /// The lines of a stage in the order of their index.
    public synchronized List<String> lines(String stage) {
        return List.copyOf(lines.getOrDefault(stage, new TreeMap<>()).values());
    }

    public synchronized List<Long> indexes(String stage) {
        return List.copyOf(lines.getOrDefault(stage, new TreeMap<>()).keySet());
    }

    /// How often a stage has said something.
    public synchronized int spoken(String stage) {
        return spoken.getOrDefault(stage, 0);
    }

    /// What an agent must refuse of what plugins said.
    public synchronized List<String> refused() {
        return List.copyOf(refused);
    }

    /// Tools that were asked for and are not on this machine, each as often as it was.
    public synchronized List<String> toolsMissing() {
        return List.copyOf(toolsMissing);
    }

    /// Indexes under which two different lines came.
    public synchronized List<String> contradictions() {
        return List.copyOf(contradictions);
    }

    public synchronized boolean complete(String stage) {
        return completed.contains(stage);
    }

    public synchronized Map<String, String> metadata(String stage) {
        return Map.copyOf(metadata.getOrDefault(stage, Map.of()));
    }

    public synchronized Optional<String> pluginMetadata(String plugin, String key) {
        return Optional.ofNullable(pluginMetadata.get(plugin + "/" + key));
    }

    public synchronized int pings() {
        return pings;
    }

    /// While deaf it takes neither log lines nor plugin metadata and tells no orders, as an agent
    /// that is stuck.
    public synchronized void deaf(boolean now) {
        deaf = now;
    }

    /// How often it was spoken to while deaf.
    public synchronized int missed() {
        return missed;
    }

    synchronized boolean deaf() {
        if (deaf) missed++;
        return deaf;
    }
}
