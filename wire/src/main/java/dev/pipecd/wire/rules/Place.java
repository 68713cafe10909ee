// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import com.google.protobuf.Descriptors.FieldDescriptor;

/// Where in a message one is; written out only when a rule is broken there.
sealed interface Place {
    record Root() implements Place {}

    record Field(Place parent, FieldDescriptor field) implements Place {}

    record Item(Place list, int index) implements Place {}

    record Entry(Place map, Object key) implements Place {}

    default String told() {
        return switch (this) {
            case Root() -> "";
            case Field(Root(), var field) -> field.getName();
            case Field(var parent, var field) -> parent.told() + "." + field.getName();
            case Item(var list, var index) -> list.told() + "[" + index + "]";
            case Entry(var map, var key) -> map.told() + "[" + Shown.value(key) + "]";
        };
    }

    /// Values of such fields are not repeated in errors, which end up in logs.
    default boolean secret() {
        return switch (this) {
            case Root() -> false;
            case Field(_, var field) ->
                    field.getName().contains("password") || field.getName().contains("secret");
            case Item(var list, _) -> list.secret();
            case Entry(var map, _) -> map.secret();
        };
    }
}
