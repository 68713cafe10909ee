// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.config.PipedConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The host of built-in plugins: is told everything by a file, and tells by itself that it lives.
///
/// @param command starts the plugin host; its own arguments are added
/// @param agent where plugins call the agent
public record HostProgram(
        List<String> command,
        List<PipedConfig.Plugin> plugins,
        String token,
        Supplier<String> agent,
        ProcessFiles files)
        implements Program {
    private static final ObjectMapper JSON = new ObjectMapper();

    public HostProgram {
        command = List.copyOf(command);
        plugins = List.copyOf(plugins);
    }

    @Override
    public String title() {
        return "the plugin host";
    }

    @Override
    public String logName() {
        return "plugin-host";
    }

    @Override
    public List<String> prepare() throws IOException {
        files.writeConfig(config());
        var argv = new ArrayList<>(command);
        argv.addAll(
                List.of(
                        "host",
                        "--piped-plugin-service",
                        agent.get(),
                        "--config-file",
                        files.config().toString()));
        return argv;
    }

    /// It says by itself that it is ready, and pings.
    @Override
    public void look(ProcessGroup process, Supervisor supervisor) {}

    private byte[] config() throws JsonProcessingException {
        var root = JSON.createObjectNode();
        root.put("token", token);
        root.put("stateDirectory", files.state().toString());
        var list = root.putArray("plugins");
        for (var plugin : plugins) {
            var entry = list.addObject();
            entry.put("name", plugin.name());
            entry.put("builtin", plugin.builtin().orElseThrow());
            // Without its `port`: the host takes free ones and tells them by Ready. One that is
            // taken would end the host, and every plugin in it.
            putUnlessNull(entry, "config", plugin.config());
            var targets = entry.putArray("deployTargets");
            for (var target : plugin.deployTargets()) {
                var one = targets.addObject();
                one.put("name", target.name());
                target.labels().forEach(one.putObject("labels")::put);
                putUnlessNull(one, "config", target.config());
            }
        }
        return JSON.writeValueAsBytes(root);
    }

    private static void putUnlessNull(ObjectNode node, String key, JsonNode value) {
        if (!value.isNull()) node.set(key, value);
    }
}
