// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// The last thing already shown of a list that is ordered by update time, newest first, and id.
public record Cursor(long updatedAt, String id) {
    /// Nothing is shown yet.
    public static final Cursor START = new Cursor(Long.MAX_VALUE, "");

    private static final ObjectMapper JSON = new ObjectMapper();

    /// Reads the public form; the empty text is the start.
    public static Cursor parse(String text) {
        if (text.isEmpty()) return START;
        try {
            var tree = JSON.readTree(Base64.getDecoder().decode(text));
            var id = tree.path("Id");
            var updatedAt = tree.path("UpdatedAt");
            if (id.isTextual() && updatedAt.isIntegralNumber())
                return new Cursor(updatedAt.asLong(), id.asText());
            throw malformed();
        } catch (IllegalArgumentException | IOException e) {
            throw malformed();
        }
    }

    private static Problem malformed() {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                "cursor: malformed (expected: the cursor of the page before)",
                "Start again without a cursor.");
    }

    public String text() {
        var tree = JsonNodeFactory.instance.objectNode().put("Id", id).put("UpdatedAt", updatedAt);
        return Base64.getEncoder().encodeToString(tree.toString().getBytes(StandardCharsets.UTF_8));
    }
}
