// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/// Where engines differ in what they are told.
public interface Dialect {
    /// For people.
    String name();

    /// Whether a row carries its version; otherwise it is locked while it is edited.
    boolean versioned();

    /// An id as the column `Id` holds it.
    Object id(String id);

    /// `column` is exactly this text, whatever the table's collation takes for equal.
    Condition same(String column, String value);

    /// `column` is one of these texts.
    default Condition oneOf(String column, List<String> values) {
        var marks = String.join(", ", Collections.nCopies(values.size(), "?"));
        return new Condition("%s IN (%s)".formatted(column, marks), List.copyOf(values));
    }

    /// The document carries these labels.
    Condition labels(Map<String, String> labels);

    /// No agent did it, in the words that the index of the trail knows.
    String notByAgents();

    /// Behind an `INSERT`: a row whose key is there has these columns added to.
    String adding(String key, List<String> columns);

    /// A join that begins with what stands before it, whatever the engine would guess.
    String joinInOrder();

    /// The last second, since 1970, that a column of times can hold.
    long latest();

    /// The files under `db/` that make the schema, oldest first.
    List<String> migrations();
}
