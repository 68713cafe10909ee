// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.testkit;

import dev.pipecd.plugin.host.options.OptionsReader;
import dev.pipecd.plugin.host.role.Readable;
import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.Severity;
import dev.pipecd.plugin.stage.Source;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.plugin.stage.StageFacts;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageRun;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One stage under test: sleeping moves the clock, commands come from the test, and when the test
/// has no more of them the stop button is pressed.
public final class TestRun<O> implements StageRun<O> {
    public static final Instant START = Instant.parse("2026-01-31T12:00:00Z");

    private final Stage<O> stage;
    private final O options;
    private final Path directory;
    private final List<LogLine> lines = new ArrayList<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private final Map<String, String> pluginMetadata = new LinkedHashMap<>();
    private final Deque<StageCommand> commands = new ArrayDeque<>();
    private TestQuestion around;
    private Instant now = START;
    private Optional<Instant> stopAt = Optional.empty();
    private Optional<Saved> saved = Optional.empty();
    private boolean resumed;

    /// A line as people would see it.
    public record LogLine(Severity severity, String line) {}

    private record Saved(String state, int lines) {}

    private TestRun(Stage<O> stage, O options, Path directory) {
        this.stage = stage;
        this.options = options;
        this.directory = directory;
        this.around = TestQuestion.in(directory);
    }

    /// `with` as people write it, in JSON; `directory` stands for the application's files and the
    /// stage's state.
    public static <O> TestRun<O> of(Stage<O> stage, String with, Path directory) {
        var options = OptionsReader.readAll(with.getBytes(StandardCharsets.UTF_8), stage.options());
        return new TestRun<>(stage, options, directory);
    }

    /// With the targets and the application's file of a question.
    public TestRun<O> about(TestQuestion question) {
        around = question;
        return this;
    }

    public TestRun<O> command(StageCommand.Order order, String person) {
        commands.add(new StageCommand("command-" + commands.size(), order, person));
        return this;
    }

    public TestRun<O> metadata(String key, String value) {
        metadata.put(key, value);
        return this;
    }

    /// Presses the stop button when the clock comes to `after` the start.
    public TestRun<O> stopAfter(Duration after) {
        stopAt = Optional.of(START.plus(after));
        return this;
    }

    public StageOutcome run() throws InterruptedException {
        return stage.work().run(this);
    }

    /// Calls the stage again as after a restart at `after` the start: what was saved is there, its
    /// lines from then on are told again.
    public StageOutcome runAgain(Duration after) throws InterruptedException {
        resumed = true;
        stopAt = Optional.empty();
        now = START.plus(after);
        var kept = saved.map(Saved::lines).orElse(0);
        while (lines.size() > kept) lines.removeLast();
        return run();
    }

    public List<LogLine> told() {
        return List.copyOf(lines);
    }

    public Map<String, String> metadata() {
        return Map.copyOf(metadata);
    }

    public Map<String, String> pluginMetadata() {
        return Map.copyOf(pluginMetadata);
    }

    @Override
    public O options() {
        return options;
    }

    @Override
    public StageFacts stage() {
        return new StageFacts("stage-1", stage.name(), 0, around.deployment());
    }

    @Override
    public Instant startedAt() {
        return START;
    }

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public boolean resumed() {
        return resumed;
    }

    @Override
    public boolean quickSync() {
        return false;
    }

    @Override
    public Source source() {
        Readable.of(stage).requireTarget();
        return around.source();
    }

    @Override
    public Optional<Source> runningSource() {
        Readable.of(stage).requireRunning();
        return around.runningSource();
    }

    @Override
    public List<DeployTarget> deployTargets() {
        return around.deployTargets();
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
    public Path tool(String name, String version, String script) {
        return around.tool(name, version, script);
    }

    @Override
    public Optional<byte[]> kept(String key) {
        return around.kept(key);
    }

    @Override
    public void keep(String key, byte[] content) {
        around.keep(key, content);
    }

    @Override
    public void log(Severity severity, String line) {
        lines.add(new LogLine(severity, line));
    }

    @Override
    public long lines() {
        return lines.size();
    }

    @Override
    public void continueAtLine(long number) {
        while (lines.size() > number) lines.removeLast();
    }

    @Override
    public void awaitLinesTaken() {}

    @Override
    public Optional<String> metadata(String key) {
        return Optional.ofNullable(metadata.get(key));
    }

    @Override
    public void putMetadata(Map<String, String> entries) {
        metadata.putAll(entries);
    }

    @Override
    public Optional<String> pluginMetadata(String key) {
        return Optional.ofNullable(pluginMetadata.get(key));
    }

    @Override
    public void putPluginMetadata(String key, String value) {
        pluginMetadata.put(key, value);
    }

    @Override
    public Optional<String> checkpoint() {
        return saved.map(Saved::state);
    }

    @Override
    public void checkpoint(String state) {
        saved = Optional.of(new Saved(state, lines.size()));
    }

    @Override
    public Path stateDirectory() {
        return directory;
    }

    @Override
    public void sleepUntil(Instant end) throws InterruptedException {
        if (stopAt.isPresent() && !stopAt.get().isAfter(end)) {
            now = stopAt.get();
            throw new InterruptedException();
        }
        if (end.isAfter(now)) now = end;
    }

    @Override
    public StageCommand awaitCommand() throws InterruptedException {
        if (commands.isEmpty()) throw new InterruptedException();
        return commands.remove();
    }

    @Override
    public boolean stopOrdered() {
        return true;
    }
}
