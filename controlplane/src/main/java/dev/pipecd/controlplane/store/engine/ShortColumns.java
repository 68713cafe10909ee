// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Columns of a server that hold only the beginning of a long text: the column finds the row by its
/// index, and the document itself says whether it is the one.
///
/// @param widths in characters, by the column's name
/// @param field how the engine says a document's field
record ShortColumns(Map<String, Integer> widths, String field) {
    private static final Map<String, String> FIELDS =
            Map.of(
                    "Name", "name",
                    "ApplicationName", "application_name",
                    "CommitHash", "commit_hash",
                    "DeploymentTraceCommitHash", "deployment_trace_commit_hash");

    ShortColumns {
        if (!FIELDS.keySet().containsAll(widths.keySet()))
            throw new IllegalArgumentException(
                    "widths: %s (expected: of %s)".formatted(widths, FIELDS.keySet()));
        widths = Map.copyOf(widths);
    }

    static ShortColumns allOf(int width, String field) {
        return new ShortColumns(
                FIELDS.keySet().stream().collect(Collectors.toMap(c -> c, _ -> width)), field);
    }

    /// One of the values; empty where each is shorter than the column, which then says it alone.
    Optional<Condition> oneOf(String column, List<String> values) {
        var width = widths.getOrDefault(column, Integer.MAX_VALUE);
        if (values.stream().allMatch(v -> letters(v) < width)) return Optional.empty();
        var bound = new ArrayList<Object>();
        values.forEach(v -> bound.add(beginning(v, width)));
        bound.addAll(values);
        return Optional.of(
                new Condition(
                        "%s IN (%s) AND CAST(%s AS BINARY) IN (%s)"
                                .formatted(
                                        column,
                                        marks("?", values),
                                        field.formatted(FIELDS.get(column)),
                                        marks("CAST(? AS BINARY)", values)),
                        bound));
    }

    private static int letters(String value) {
        return value.codePointCount(0, value.length());
    }

    private static String beginning(String value, int width) {
        return letters(value) <= width
                ? value
                : value.substring(0, value.offsetByCodePoints(0, width));
    }

    private static String marks(String mark, List<String> values) {
        return String.join(", ", Collections.nCopies(values.size(), mark));
    }
}
