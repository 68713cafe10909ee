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
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
        if (wanted.stream().allMatch(String.class::isInstance))
            return and(new Term.OneOf(column, wanted.stream().map(String.class::cast).toList()));
        var marks = String.join(", ", Collections.nCopies(wanted.size(), "?"));
        return and(column + " IN (" + marks + ")", wanted.toArray());
    }

    /// Empty means any value.
    Where is(String column, String wanted) {
        return wanted.isEmpty() ? this : and(column + " = ?", wanted);
    }

    /// Updated at this second or later.
    Where since(long second) {
        return second <= 0 ? this : and(new Term.Since(second));
    }

    /// Says that what else it asks for is found by an index of its own, and is not much.
    Where few() {
        return and(new Term.Few());
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

    /// Whether it asks for little besides labels.
    boolean isNarrow() {
        return terms.stream()
                .anyMatch(t ->
                        t instanceof Term.Few
                                || t instanceof Term.Same(var column, _)
                                        && !column.equals("ProjectId"));
    }

    Optional<String> project() {
        return terms.stream()
                .flatMap(t ->
                        t instanceof Term.Same(var column, var value) && column.equals("ProjectId")
                                ? Stream.of(value)
                                : Stream.of())
                .findFirst();
    }

    /// Labels that are all on it.
    Map<String, String> wanted() {
        return terms.stream()
                .flatMap(t ->
                        t instanceof Term.Labelled(var labels) ? Stream.of(labels) : Stream.of())
                .findFirst()
                .orElse(Map.of());
    }

    /// Sets of labels one of which is on it.
    List<Map<String, String>> within() {
        return terms.stream()
                .flatMap(t -> t instanceof Term.Within(var sets) ? Stream.of(sets) : Stream.of())
                .findFirst()
                .orElse(List.of());
    }

    Condition in(Dialect dialect) {
        return all(terms.stream().map(t -> said(t, dialect)).toList());
    }

    /// Where in the order of lists it lies, said of the rows of labels.
    Condition place(Dialect dialect) {
        return all(
                terms.stream()
                        .flatMap(t ->
                                switch (t) {
                                    case Term.Since(var second) ->
                                            Stream.of(Condition.of("At >= ?", second));
                                    case Term.Behind(var last) ->
                                            Stream.of(behind(last, "At", "Document", dialect));
                                    case Term.Same _,
                                            Term.OneOf _,
                                            Term.Said _,
                                            Term.Labelled _,
                                            Term.Within _,
                                            Term.Following _,
                                            Term.Few _ ->
                                            Stream.of();
                                })
                        .toList());
    }

    private static Condition all(List<Condition> said) {
        return new Condition(
                said.isEmpty()
                        ? "1 = 1"
                        : said.stream().map(Condition::sql).collect(Collectors.joining(" AND ")),
                said.stream().flatMap(c -> c.values().stream()).toList());
    }

    private static Condition said(Term term, Dialect dialect) {
        return switch (term) {
            case Term.Same(var column, var value) -> dialect.same(column, value);
            case Term.OneOf(var column, var values) -> dialect.oneOf(column, values);
            case Term.Said(var sql, var values, var ofIds) ->
                    new Condition(
                            sql,
                            values.stream()
                                    .map(v -> ofIds && v instanceof String id ? dialect.id(id) : v)
                                    .toList());
            case Term.Labelled(var labels) -> dialect.labels(labels);
            case Term.Within(var sets) -> any(sets.stream().map(dialect::labels).toList());
            case Term.Since(var second) -> Condition.of("UpdatedAt >= ?", second);
            case Term.Behind(var last) -> behind(last, "UpdatedAt", "Id", dialect);
            case Term.Few() -> Condition.of("1 = 1");
            case Term.Following(var column, var last) ->
                    Condition.of(
                            "%1$s >= ? AND (%1$s > ? OR Id > ?)".formatted(column),
                            last.updatedAt(),
                            last.updatedAt(),
                            dialect.id(last.id()));
        };
    }

    private static Condition behind(Cursor last, String time, String id, Dialect dialect) {
        return Condition.of(
                "%1$s <= ? AND (%1$s < ? OR %2$s > ?)".formatted(time, id),
                last.updatedAt(),
                last.updatedAt(),
                dialect.id(last.id()));
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

        record OneOf(String column, List<String> values) implements Term {}

        /// @param ofIds what is compared is the column `Id`
        record Said(String sql, List<Object> values, boolean ofIds) implements Term {}

        record Labelled(Map<String, String> labels) implements Term {}

        /// At least one of the sets of labels.
        record Within(List<Map<String, String>> sets) implements Term {}

        record Since(long second) implements Term {}

        record Behind(Cursor last) implements Term {}

        record Following(String column, Cursor last) implements Term {}

        record Few() implements Term {}
    }
}
