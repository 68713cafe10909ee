// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/// What the store must know of a kind of document.
///
/// @param extra the field that is repeated under `_extra`, as the public system does
/// @param piped the field that names the agent concerned, or empty
record DocumentKind<T extends Message>(
        String table, T prototype, Change.Kind changed, String extra, String piped) {
    /// Those that columns repeat.
    private static final List<String> TIMES = List.of("created_at", "completed_at", "updated_at");

    String id(T value) {
        return text(value, "id");
    }

    /// With the times filled in that the store owns.
    T stamped(T value, long now, boolean created) {
        var builder = value.toBuilder();
        if (!created || builder.getField(field("updated_at")).equals(0L))
            builder.setField(field("updated_at"), now);
        if (created && builder.getField(field("created_at")).equals(0L))
            builder.setField(field("created_at"), now);
        @SuppressWarnings("unchecked") // a builder builds its own message's type
        var stamped = (T) builder.build();
        return stamped;
    }

    /// A column that is too narrow for a time would take another one without a word.
    ObjectNode document(ObjectNode tree, T value, Bounds bounds) {
        for (var name : TIMES)
            if (tree.path(name).asLong() > bounds.latest())
                throw late(name, tree.path(name).asLong(), bounds);
        return tree.put("_extra", text(value, extra));
    }

    private static Problem late(String name, long time, Bounds bounds) {
        var ours = bounds.now() > bounds.latest();
        return new Problem(
                ours ? Problem.Code.STORE_UNAVAILABLE : Problem.Code.REQUEST_INVALID,
                "%s: %d (expected: at most %d, the last second that the public schema holds)"
                        .formatted(name, time, bounds.latest()),
                ours
                        ? "Keep the data in MariaDB, or use a version that knows a wider schema."
                        : "Send seconds since 1970, and correct the clock they come from.");
    }

    /// In seconds since 1970.
    ///
    /// @param latest the last one that the table's columns hold
    record Bounds(long now, long latest) {}

    Change change(T value, String actor, String what, Instant at) {
        return new Change(
                0,
                new ProjectId(text(value, ownedByItself() ? "id" : "project_id")),
                changed,
                id(value),
                "",
                piped.isEmpty() ? "" : text(value, piped),
                new Change.Deed(actor, what, at));
    }

    /// A project belongs to no other.
    private boolean ownedByItself() {
        return prototype.getDescriptorForType().findFieldByName("project_id") == null;
    }

    private String text(T value, String name) {
        return (String) value.getField(field(name));
    }

    private FieldDescriptor field(String name) {
        return Objects.requireNonNull(prototype.getDescriptorForType().findFieldByName(name), name);
    }
}
