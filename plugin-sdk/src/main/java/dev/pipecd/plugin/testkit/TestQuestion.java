// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.testkit;

import dev.pipecd.plugin.host.options.OptionsReader;
import dev.pipecd.plugin.platform.Planning;
import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.DeploymentFacts;
import dev.pipecd.plugin.stage.Source;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A question without an agent: everything a plugin finds around it is what the test says, in JSON
/// as people write it.
public final class TestQuestion implements Planning {
    private final Path directory;
    private final List<DeployTarget> targets = new ArrayList<>();
    private final List<Source> running = new ArrayList<>();
    private final Map<String, Path> tools = new HashMap<>();
    private final Map<String, byte[]> kept = new HashMap<>();
    private String config = "{}";
    private String spec = "{}";

    private TestQuestion(Path directory) {
        this.directory = directory;
    }

    /// `directory` stands for the application's files.
    public static TestQuestion in(Path directory) {
        return new TestQuestion(directory);
    }

    public TestQuestion target(String name, String json) {
        targets.add(new DeployTarget(name, Map.of(), json));
        return this;
    }

    public TestQuestion config(String json) {
        config = json;
        return this;
    }

    public TestQuestion spec(String json) {
        spec = json;
        return this;
    }

    /// What ran before.
    public TestQuestion running(Path files, String json) {
        running.add(new Files(files, "89ab0123", json));
        return this;
    }

    public TestQuestion tool(String name, Path program) {
        tools.put(name, program);
        return this;
    }

    private record Files(Path directory, String commit, String json) implements Source {
        @Override
        public Path sharedDirectory() {
            return directory.resolve(".pipe");
        }

        @Override
        public <S> S spec(Class<S> type) {
            return OptionsReader.read(json.getBytes(StandardCharsets.UTF_8), type);
        }
    }

    private static <T> T configuration(String json, Class<T> type) {
        return OptionsReader.configuration(json.getBytes(StandardCharsets.UTF_8), type);
    }

    @Override
    public DeploymentFacts deployment() {
        return new DeploymentFacts(
                "deployment-1",
                new DeploymentFacts.Application(
                        "application-1",
                        "site",
                        "project-1",
                        "https://git.example/site.git",
                        Map.of("env", "test")),
                new DeploymentFacts.Trigger("0123abcd", "ann", TestRun.START.minusSeconds(60)),
                "Deploy 0123abcd");
    }

    @Override
    public String applicationId() {
        return deployment().application().id();
    }

    @Override
    public String applicationName() {
        return deployment().application().name();
    }

    @Override
    public Source source() {
        return new Files(directory, "0123abcd", spec);
    }

    @Override
    public Optional<Source> runningSource() {
        return running.stream().findFirst();
    }

    @Override
    public List<DeployTarget> deployTargets() {
        return List.copyOf(targets);
    }

    @Override
    public <C> C config(Class<C> type) {
        return configuration(config, type);
    }

    @Override
    public <T> T config(DeployTarget target, Class<T> type) {
        return configuration(target.config(), type);
    }

    @Override
    public Path tool(String name, String version, String script) {
        var program = tools.get(name);
        if (program == null)
            throw new IllegalStateException("tool: " + name + " (expected: one the test gave)");
        return program;
    }

    @Override
    public Optional<byte[]> kept(String key) {
        return Optional.ofNullable(kept.get(key));
    }

    @Override
    public void keep(String key, byte[] content) {
        kept.put(key, content);
    }
}
