// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;

/// Where a stage stood when it last said so: its own words and the number of its next line.
record Checkpoint(long line, String state) {
    static final String KEY = "pipecd/checkpoint";
    private static final ObjectMapper JSON = new ObjectMapper();

    /// A checkpoint that cannot be read is none: the stage starts over rather than never.
    static Optional<Checkpoint> read(String json) {
        try {
            return Optional.of(JSON.readValue(json, Checkpoint.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    String json() {
        return JSON.createObjectNode().put("line", line).put("state", state).toString();
    }
}
