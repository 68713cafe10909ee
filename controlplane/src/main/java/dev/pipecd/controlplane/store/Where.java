// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.access.Labels;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.store.engine.Condition;
import dev.pipecd.controlplane.store.engine.Dialect;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The condition of a query, put into words for one engine at the end; values are always bound,
/// never written into the text.
record Where(List<Term> terms) {
    private static final Pattern EQUALITY = Pattern.compile("(\\w+) = \\?");

    static final Where ALL = new Where(List.of());
    static final Where NONE = ALL.and("1 = 0");

    /// The order `after` goes on in.
    static final String NEWEST_FIRST = "UpdatedAt DESC, Id ASC";

    Where {
        terms = List.copyOf(terms);
    }

    /// A text is compared as a whole and exactly when it is a condition of its own (`Name = ?`);
    /// what is said in more words every engine must understand alike.
    Where and(String condition, Object... values) {
        var equality = EQUALITY.matcher(condition);
        return equality.matches() && values[0] instanceof String text
                ? and(new Term.Same(equality.group(1), text))
                : and(new Term.Said(condition, List.of(values), condition.startsWith("Id ")));
    }

    private Where and(Term term) {
        var all = new ArrayList<>(terms);
        all.add(term);
        return new Where(all);
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
        return last.equals(Cursor.START) ? this : and(new Term.Behind(last));
    }

    /// What comes behind the last one seen, oldest first by that column.
    Where behind(String column, Cursor last) {
        return last.equals(Cursor.START) ? this : and(new Term.Following(column, last));
    }

    Where labels(Map<String, String> wanted) {
        return wanted.isEmpty() ? this : and(new Term.Labelled(wanted));
    }

    Where labels(Labels labels) {
        var where = labels(labels.wanted());
        return labels.within().isEmpty() ? where : where.and(new Term.Within(labels.within()));
    }

    /// Whether it asks for one document by its id, of which there cannot be two.
    boolean byId() {
        return terms.stream()
                .anyMatch(t -> t instanceof Term.Same(var column, _) && column.equals("Id"));
    }

    Condition in(Dialect dialect) {
        var said = terms.stream().map(t -> said(t, dialect)).toList();
        return new Condition(
                said.isEmpty()
                        ? "1 = 1"
                        : said.stream().map(Condition::sql).collect(Collectors.joining(" AND ")),
                said.stream().flatMap(c -> c.values().stream()).toList());
    }

    private static Condition said(Term term, Dialect dialect) {
        return switch (term) {
            case Term.Same(var column, var value) -> dialect.same(column, value);
            case Term.Said(var sql, var values, var ofIds) ->
                    new Condition(
                            sql,
                            values.stream()
                                    .map(v -> ofIds && v instanceof String id ? dialect.id(id) : v)
                                    .toList());
            case Term.Labelled(var labels) -> dialect.labels(labels);
            case Term.Within(var sets) -> any(sets.stream().map(dialect::labels).toList());
            case Term.Behind(var last) ->
                    Condition.of(
                            "UpdatedAt <= ? AND (UpdatedAt < ? OR Id > ?)",
                            last.updatedAt(),
                            last.updatedAt(),
                            dialect.id(last.id()));
            case Term.Following(var column, var last) ->
                    Condition.of(
                            "%1$s >= ? AND (%1$s > ? OR Id > ?)".formatted(column),
                            last.updatedAt(),
                            last.updatedAt(),
                            dialect.id(last.id()));
        };
    }

    private static Condition any(List<Condition> conditions) {
        return new Condition(
                conditions.stream()
                        .map(Condition::sql)
                        .collect(Collectors.joining(") OR (", "((", "))")),
                conditions.stream().flatMap(c -> c.values().stream()).toList());
    }

    /// One of the conditions that must all hold.
    private sealed interface Term {
        record Same(String column, String value) implements Term {}

        /// @param ofIds what is compared is the column `Id`
        record Said(String sql, List<Object> values, boolean ofIds) implements Term {}

        record Labelled(Map<String, String> labels) implements Term {}

        /// At least one of the sets of labels.
        record Within(List<Map<String, String>> sets) implements Term {}

        record Behind(Cursor last) implements Term {}

        record Following(String column, Cursor last) implements Term {}
    }
}
