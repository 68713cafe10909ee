// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.plugin.host.role.Readable;
import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.Severity;
import dev.pipecd.plugin.stage.Source;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.plugin.stage.StageFacts;
import dev.pipecd.plugin.stage.StageRun;
import dev.pipecd.plugin.stage.Surroundings;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/// What a stage sees when an agent runs it.
final class HostedRun<O> implements StageRun<O> {
    /// How long an approval may go unnoticed by an agent that does not wait for it.
    private static final Duration LOOK_FOR_COMMANDS = Duration.ofMillis(100);

    private final O options;
    private final Readable readable;
    private final ExecutePluginInput input;
    private final StageEdge edge;
    private final StageStart start;
    private final StageLog log;
    private final BooleanSupplier stopOrdered;
    private final StageKey key;
    private final StageFacts facts;
    private final Surroundings around;
    private final Set<String> seenCommands = new HashSet<>();
    private final Set<String> seenWarnings = ConcurrentHashMap.newKeySet();

    HostedRun(
            O options,
            Readable readable,
            ExecutePluginInput input,
            StageEdge edge,
            StageStart start,
            StageLog log,
            BooleanSupplier stopOrdered) {
        this.options = options;
        this.readable = readable;
        this.input = input;
        this.edge = edge;
        this.start = start;
        this.log = log;
        this.stopOrdered = stopOrdered;
        this.key = new StageKey(input.getDeployment().getId(), input.getStage().getId());
        this.facts = Facts.of(input);
        start.checkpoint().ifPresent(point -> seenWarnings.addAll(point.told()));
        this.around = edge.served().around().apply(facts.deployment().application().id());
    }

    @Override
    public O options() {
        return options;
    }

    @Override
    public StageFacts stage() {
        return facts;
    }

    @Override
    public Instant startedAt() {
        return start.at();
    }

    @Override
    public Instant now() {
        return edge.clock().instant();
    }

    @Override
    public boolean resumed() {
        return start.again();
    }

    @Override
    public boolean quickSync() {
        return input.getStageConfig().isEmpty();
    }

    @Override
    public Source source() {
        readable.requireTarget();
        return edge.served().source(input.getTargetDeploymentSource(), this::passedOver);
    }

    /// Once, also by another process: a line that came in again would move those behind it.
    private void passedOver(String line) {
        if (seenWarnings.add(line)) log(line);
    }

    @Override
    public Optional<Source> runningSource() {
        readable.requireRunning();
        return edge.served().running(input.getRunningDeploymentSource());
    }

    @Override
    public List<DeployTarget> deployTargets() {
        return edge.served().targets(input.getDeployment());
    }

    @Override
    public <C> C config(Class<C> type) {
        return around.config(type);
    }

    @Override
    public <T> T config(DeployTarget target, Class<T> type) {
        return around.config(target, type);
    }

    @Override
    public Path tool(String name, String version, String script) throws InterruptedException {
        return around.tool(name, version, script);
    }

    @Override
    public Optional<byte[]> kept(String name) throws InterruptedException {
        return around.kept(name);
    }

    @Override
    public void keep(String name, byte[] content) throws InterruptedException {
        around.keep(name, content);
    }

    @Override
    public void log(Severity severity, String line) {
        log.add(severity, line);
    }

    @Override
    public long lines() {
        return log.lines();
    }

    @Override
    public void continueAtLine(long number) {
        log.continueAt(number);
    }

    @Override
    public void awaitLinesTaken() throws InterruptedException {
        log.awaitTaken();
    }

    @Override
    public Optional<String> metadata(String name) throws InterruptedException {
        return edge.agent().stageMetadata(key, name);
    }

    @Override
    public void putMetadata(Map<String, String> entries) throws InterruptedException {
        edge.agent().putStageMetadata(key, entries);
    }

    @Override
    public Optional<String> pluginMetadata(String name) throws InterruptedException {
        return edge.agent().pluginMetadata(key.deployment(), edge.served().name(), name);
    }

    @Override
    public void putPluginMetadata(String name, String value) throws InterruptedException {
        edge.agent().putPluginMetadata(key.deployment(), edge.served().name(), name, value);
    }

    @Override
    public Optional<String> checkpoint() {
        return start.checkpoint().map(Checkpoint::state);
    }

    @Override
    public void checkpoint(String state) throws InterruptedException {
        // Lines before the checkpoint are not told again: they must have arrived.
        log.awaitTaken();
        var point = new Checkpoint(log.lines(), state, seenWarnings.stream().sorted().toList());
        putMetadata(Map.of(Checkpoint.KEY, point.json()));
    }

    @Override
    public Path stateDirectory() {
        return edge.state().of(key);
    }

    @Override
    public void sleepUntil(Instant end) throws InterruptedException {
        // In short steps and by two clocks: neither one that is set back nor a machine that slept
        // may stretch the wait.
        var step = Duration.ofSeconds(1);
        var whole = Duration.between(now(), end);
        var begun = System.nanoTime();
        for (var left = whole; left.isPositive(); ) {
            AgentClient.pause(left.compareTo(step) < 0 ? left : step);
            var byClock = Duration.between(now(), end);
            var counted = whole.minusNanos(System.nanoTime() - begun);
            left = byClock.compareTo(counted) < 0 ? byClock : counted;
        }
        if (Thread.interrupted()) throw new InterruptedException();
    }

    @Override
    public StageCommand awaitCommand() throws InterruptedException {
        while (true) {
            for (var wired : edge.agent().stageCommands(key, seenCommands)) {
                var command = Facts.of(wired);
                if (seenCommands.add(wired.getId()) && command.isPresent()) return command.get();
            }
            AgentClient.pause(LOOK_FOR_COMMANDS);
        }
    }

    @Override
    public boolean stopOrdered() {
        return stopOrdered.getAsBoolean();
    }
}
