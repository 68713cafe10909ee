// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.launch.Home;
import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.DeployTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What the agent says at start: where it answers, its token (empty with an agent that has none),
/// and which plugins to serve.
record HostConfig(String agent, String token, Path stateDirectory, List<Entry> plugins) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /// The variable by which our agent names the folder for what plugins keep.
    static final String STATE_DIRECTORY = "PIPECD_PLUGIN_STATE_DIRECTORY";

    HostConfig {
        plugins = List.copyOf(plugins);
    }

    /// One plugin of the agent's configuration, `config` as JSON; port 0 leaves the choice to the
    /// system.
    record Entry(
            String name,
            String builtin,
            int port,
            String config,
            List<DeployTarget> deployTargets) {
        Entry {
            deployTargets = List.copyOf(deployTargets);
        }
    }

    /// With a token the host is our agent's; without one it was started as the public protocol has
    /// it.
    boolean supervised() {
        return !token.isEmpty();
    }

    static HostConfig of(List<String> args) {
        return of(args, System.getenv());
    }

    static HostConfig of(List<String> args, Map<String, String> environment) {
        var arguments = Arguments.of(args);
        var agent = arguments.required("piped-plugin-service");
        return switch (arguments.command()) {
            case "start" ->
                    single(agent, tree("--config", arguments.required("config")), environment);
            case "host" -> several(agent, Path.of(arguments.required("config-file")));
            default -> throw invalid("command", "\"" + arguments.command() + "\"", "start or host");
        };
    }

    private static HostConfig single(
            String agent, JsonNode plugin, Map<String, String> environment) {
        var entry = entry(plugin);
        if (entry.port() == 0) throw invalid("port", "0", "a port from 1 to 65535");
        return new HostConfig(agent, "", state(environment), List.of(entry));
    }

    /// Where our agent says; the public one does not.
    private static Path state(Map<String, String> environment) {
        var told = environment.getOrDefault(STATE_DIRECTORY, "");
        if (!told.isEmpty()) return Path.of(told).toAbsolutePath();
        return new Home(environment).resolve(Path.of("~/.piped/plugin-state")).toAbsolutePath();
    }

    private static HostConfig several(String agent, Path file) {
        JsonNode config;
        try {
            config = tree(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw invalid("--config-file", file.toString(), "a file the host can read");
        }
        var plugins = new ArrayList<Entry>();
        config.path("plugins").forEach(plugin -> plugins.add(entry(plugin)));
        if (plugins.isEmpty()) throw invalid("plugins", "none", "at least one");
        return new HostConfig(
                agent,
                text(config, "token"),
                Path.of(text(config, "stateDirectory")).toAbsolutePath(),
                plugins);
    }

    private static Entry entry(JsonNode plugin) {
        var name = text(plugin, "name");
        var targets = new ArrayList<DeployTarget>();
        for (var target : plugin.path("deployTargets")) {
            var labels = new HashMap<String, String>();
            target.path("labels")
                    .properties()
                    .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
            targets.add(
                    new DeployTarget(
                            text(target, "name"), labels, target.path("config").toString()));
        }
        var port = plugin.path("port").asInt(0);
        if (port < 0 || port > 65535)
            throw invalid("port", String.valueOf(port), "a port from 0 to 65535");
        return new Entry(
                name,
                plugin.path("builtin").asText(name),
                port,
                plugin.path("config").toString(),
                targets);
    }

    private static String text(JsonNode node, String key) {
        var value = node.path(key).asText("");
        if (value.isEmpty()) throw invalid(key, "missing", "a value");
        return value;
    }

    private static JsonNode tree(String name, String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            // The text itself may hold secrets: it is not repeated.
            throw invalid(name, "not JSON", "the plugin's configuration as JSON");
        }
    }

    private static Problem invalid(String name, String value, String expected) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                name + ": " + value + " (expected: " + expected + ")",
                "The agent writes this when it starts a plugin; check its `plugins:`.");
    }
}
