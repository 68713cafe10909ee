// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static java.util.stream.Collectors.joining;

import dev.pipecd.controlplane.access.Labels;
import dev.pipecd.controlplane.paging.Cursor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/// The condition of a query; values are always bound, never written into the text.
record Where(String sql, List<Object> values) {
    static final Where ALL = new Where("1 = 1", List.of());
    static final Where NONE = new Where("1 = 0", List.of());

    /// The order `after` goes on in.
    static final String NEWEST_FIRST = "UpdatedAt DESC, Id ASC";

    Where {
        values = List.copyOf(values);
    }

    Where and(String condition, Object... more) {
        var all = new ArrayList<>(values);
        Collections.addAll(all, more);
        return new Where(sql + " AND " + condition, all);
    }

    /// Any of the values; no values means any value.
    Where in(String column, Collection<?> wanted) {
        if (wanted.isEmpty()) return this;
        var marks = String.join(", ", Collections.nCopies(wanted.size(), "?"));
        return and(column + " IN (" + marks + ")", wanted.toArray());
    }

    /// Empty means any value.
    Where is(String column, String wanted) {
        return wanted.isEmpty() ? this : and(column + " = ?", wanted);
    }

    /// What comes behind the last one shown, newest first.
    Where after(Cursor last) {
        return and(
                "(UpdatedAt < ? OR (UpdatedAt = ? AND Id > ?))",
                last.updatedAt(),
                last.updatedAt(),
                last.id());
    }

    Where labels(Map<String, String> wanted) {
        var where = this;
        for (var label : wanted.entrySet())
            where =
                    where.and(
                            "EXISTS (SELECT 1 FROM json_each(Data, '$.labels') l"
                                    + " WHERE l.key = ? AND l.value = ?)",
                            label.getKey(),
                            label.getValue());
        return where;
    }

    Where labels(Labels labels) {
        var where = labels(labels.wanted());
        if (labels.within().isEmpty()) return where;
        var sets = labels.within().stream().map(ALL::labels).toList();
        return where.and(
                sets.stream().map(Where::sql).collect(joining(") OR (", "((", "))")),
                sets.stream().flatMap(set -> set.values().stream()).toArray());
    }
}
