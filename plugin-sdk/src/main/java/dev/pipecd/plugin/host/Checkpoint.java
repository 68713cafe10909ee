// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Optional;

/// Where a stage stood when it last said so: its own words, the number of its next line, and what
/// the host had told of its own accord by then.
record Checkpoint(long line, String state, List<String> told) {
    static final String KEY = "pipecd/checkpoint";
    private static final ObjectMapper JSON = new ObjectMapper();

    Checkpoint {
        told = List.copyOf(told);
    }

    /// A checkpoint that cannot be read is none: the stage starts over rather than never.
    static Optional<Checkpoint> read(String json) {
        try {
            var node = JSON.readTree(json);
            if (!node.path("line").canConvertToLong() || !node.path("state").isTextual())
                return Optional.empty();
            var told = node.path("told").valueStream().map(JsonNode::asText).toList();
            return Optional.of(
                    new Checkpoint(node.path("line").asLong(), node.path("state").asText(), told));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    String json() {
        var node = JSON.createObjectNode().put("line", line).put("state", state);
        // Left out where there is nothing: an older host takes no key that it does not know.
        if (!told.isEmpty()) told.forEach(node.putArray("told")::add);
        return node.toString();
    }
}
