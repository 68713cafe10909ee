// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// The form of the public files.
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static JsonNode parsed(byte[] content) {
        try {
            return MAPPER.readTree(content);
        } catch (IOException e) {
            throw new UncheckedIOException("an insight file is not JSON", e);
        }
    }

    static byte[] bytes(JsonNode tree) {
        return tree.toString().getBytes(StandardCharsets.UTF_8);
    }
}
