// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What the trail tells beside the deed: where it came from, and the fields that changed, as they
/// were and as they are.
///
/// @param before JSON, or empty
/// @param after JSON, or empty
public record Trace(Origin origin, String before, String after) {
    private static final Set<String> SECRETS =
            Set.of("key_hash", "password_hash", "client_id", "client_secret");

    /// The hashes of agents' keys; `hash` alone is also what a commit has.
    private static final String KEYS = "keys";

    private static final String PROXY = "proxy_url";

    /// These say when, which the trail tells anyway, or are copies.
    private static final Set<String> OF_THE_STORE = Set.of("created_at", "updated_at", "_extra");

    public static Trace by(Origin origin) {
        return new Trace(origin, "", "");
    }

    /// What an agent reports is the deployment itself: only people's deeds are told in full.
    public static Trace of(Origin origin, ObjectNode before, ObjectNode after) {
        if (origin.via() == Origin.Via.AGENT) return by(origin);
        var was = JsonNodeFactory.instance.objectNode();
        var is = JsonNodeFactory.instance.objectNode();
        var names = new TreeSet<String>();
        before.fieldNames().forEachRemaining(names::add);
        after.fieldNames().forEachRemaining(names::add);
        for (var name : names) {
            var old = before.get(name);
            var fresh = after.get(name);
            if (OF_THE_STORE.contains(name) || same(old, fresh)) continue;
            if (old != null) was.set(name, redacted(name, old));
            if (fresh != null) is.set(name, redacted(name, fresh));
        }
        return new Trace(origin, text(was), text(is));
    }

    /// A number read from the store is of another width than the same one just written.
    private static boolean same(@Nullable JsonNode old, @Nullable JsonNode fresh) {
        return old != null && fresh != null && old.equals(Trace::compared, fresh);
    }

    private static int compared(JsonNode a, JsonNode b) {
        var same = a.isNumber() && b.isNumber() ? a.asText().equals(b.asText()) : a.equals(b);
        return same ? 0 : 1;
    }

    private static String text(ObjectNode tree) {
        return tree.isEmpty() ? "" : tree.toString();
    }

    private static JsonNode redacted(String name, JsonNode value) {
        if (SECRETS.contains(name)) return JsonNodeFactory.instance.textNode(Redacted.TEXT);
        if (name.equals(PROXY))
            return JsonNodeFactory.instance.textNode(Redacted.url(value.asText()));
        return switch (value) {
            case ObjectNode object -> {
                var copy = JsonNodeFactory.instance.objectNode();
                object.properties()
                        .forEach(e -> copy.set(e.getKey(), redacted(e.getKey(), e.getValue())));
                yield copy;
            }
            case ArrayNode array -> {
                var copy = JsonNodeFactory.instance.arrayNode();
                array.forEach(item -> copy.add(redacted("", item)));
                if (name.equals(KEYS)) copy.forEach(Trace::withoutHash);
                yield copy;
            }
            default -> value;
        };
    }

    private static void withoutHash(JsonNode key) {
        if (key instanceof ObjectNode object && object.has("hash"))
            object.put("hash", Redacted.TEXT);
    }
}
