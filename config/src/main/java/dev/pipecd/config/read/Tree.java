// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;

/// A YAML document with aliases followed and merge keys applied, in which every part knows its
/// place.
sealed interface Tree {

    Place place();

    /// As Jackson has it, for what plugins read themselves.
    default JsonNode json() {
        return switch (this) {
            case Scalar(_, var value, _) -> value;
            case Sequence(_, var items) -> {
                var array = JsonNodeFactory.instance.arrayNode(items.size());
                items.forEach(item -> array.add(item.json()));
                yield array;
            }
            case Mapping(_, var entries) -> {
                var object = JsonNodeFactory.instance.objectNode();
                entries.forEach(entry -> object.set(entry.key(), entry.value().json()));
                yield object;
            }
        };
    }

    default boolean isNull() {
        return this instanceof Scalar(_, var value, _) && value.isNull();
    }

    default boolean isText() {
        return this instanceof Scalar(_, var value, _) && value.isTextual();
    }

    static Tree nothing(Place place) {
        return new Scalar(place, JsonNodeFactory.instance.nullNode(), "");
    }

    record Mapping(Place place, List<Entry> entries) implements Tree {}

    record Sequence(Place place, List<Tree> items) implements Tree {}

    record Scalar(Place place, JsonNode value, String written) implements Tree {}

    record Entry(Place place, String key, Tree value) {}

    /// Line and column, counted from 1.
    record Place(int line, int column) implements Comparable<Place> {
        static final Place START = new Place(1, 1);

        @Override
        public int compareTo(Place other) {
            return line != other.line
                    ? Integer.compare(line, other.line)
                    : Integer.compare(column, other.column);
        }
    }
}
