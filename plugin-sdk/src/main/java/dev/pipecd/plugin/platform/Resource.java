// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/// One thing on a target: what it is, what it belongs to, how it does, and facts worth showing.
public record Resource(
        Identity identity,
        List<String> parents,
        Health health,
        Instant createdAt,
        Map<String, String> facts) {
    public Resource {
        parents = List.copyOf(parents);
        facts = Map.copyOf(facts);
    }

    public static Resource of(Identity identity, Health health, Instant createdAt) {
        return new Resource(identity, List.of(), health, createdAt, Map.of());
    }

    /// The same below another, named by its id.
    public Resource under(String parent) {
        return new Resource(identity, List.of(parent), health, createdAt, facts);
    }

    /// `id` is unique among the plugin's resources of the application.
    public record Identity(String id, String type, String name, String target) {
        public Identity {
            if (id.isEmpty() || name.isEmpty())
                throw new IllegalArgumentException("id, name: empty (expected: text)");
        }
    }
}
