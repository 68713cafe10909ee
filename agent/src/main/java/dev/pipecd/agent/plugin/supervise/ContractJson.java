// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// What a plugin of somebody else is told at its start, in the public form.
final class ContractJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    /// What the public SDK accepts as `url`.
    private static final List<String> KNOWN = List.of("file:", "https:", "oci:");

    /// What Linux takes as one argument, however many of them there may be.
    private static final int LONGEST = 131_071;

    private ContractJson() {}

    static String of(PipedConfig.Plugin plugin, Path program, int port)
            throws JsonProcessingException {
        var written = written(plugin, program, port);
        var size = written.getBytes(StandardCharsets.UTF_8).length;
        if (size > LONGEST)
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "plugins: config and deployTargets of %s: %d bytes as JSON (expected: at most %d, which the public contract passes in one argument)"
                            .formatted(plugin.name(), size, LONGEST),
                    "Give the plugin two entries with some of its deploy targets each, or refer to files instead of their content.");
        return written;
    }

    private static String written(PipedConfig.Plugin plugin, Path program, int port)
            throws JsonProcessingException {
        var root = JSON.createObjectNode();
        root.put("name", plugin.name());
        // The process list is open to everybody on the machine.
        root.put("url", url(plugin.shownUrl(), program));
        root.put("port", port);
        if (!plugin.config().isNull()) root.set("config", plugin.config());
        if (!plugin.deployTargets().isEmpty()) {
            var targets = root.putArray("deployTargets");
            for (var target : plugin.deployTargets()) {
                var one = targets.addObject();
                one.put("name", target.name());
                if (!target.labels().isEmpty())
                    target.labels().forEach(one.putObject("labels")::put);
                one.set("config", target.config());
            }
        }
        return JSON.writeValueAsString(root);
    }

    private static String url(String written, Path program) {
        return KNOWN.stream().anyMatch(written::startsWith) ? written : program.toUri().toString();
    }
}
