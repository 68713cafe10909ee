// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// SQLite, which compares text byte by byte.
final class SqliteDialect implements Dialect {
    @Override
    public String name() {
        return "SQLite";
    }

    @Override
    public boolean versioned() {
        return true;
    }

    @Override
    public Object id(String id) {
        return id;
    }

    @Override
    public Condition same(String column, String value) {
        return Condition.of(column + " = ?", value);
    }

    @Override
    public Condition labels(Map<String, String> labels) {
        var one =
                "EXISTS (SELECT 1 FROM json_each(Data, '$.labels') l"
                        + " WHERE l.key = ? AND l.value = ?)";
        var values = new ArrayList<Object>();
        labels.forEach((key, value) -> Collections.addAll(values, key, value));
        return new Condition(String.join(" AND ", Collections.nCopies(labels.size(), one)), values);
    }

    @Override
    public String notByAgents() {
        return "Via <> 'AGENT'";
    }

    @Override
    public String adding(String key, List<String> columns) {
        return columns.stream()
                .map("%1$s = %1$s + excluded.%1$s"::formatted)
                .collect(
                        Collectors.joining(
                                ", ", "ON CONFLICT (%s) DO UPDATE SET ".formatted(key), ""));
    }

    @Override
    public String joinInOrder() {
        return "CROSS JOIN";
    }

    @Override
    public long latest() {
        return Long.MAX_VALUE;
    }

    /// Flyway finds them by itself.
    @Override
    public List<String> migrations() {
        return List.of();
    }
}
