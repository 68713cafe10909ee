// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// MySQL in the public schema: binary ids, no version, and text columns whose collation takes `Ann`
/// for `ann`.
final class MySqlDialect implements Dialect {
    private static final ShortColumns SHORT =
            new ShortColumns(
                    Map.of(
                            "Name", 50,
                            "ApplicationName", 36,
                            "CommitHash", 40,
                            "DeploymentTraceCommitHash", 40),
                    "Data->>'$.%s'");

    @Override
    public String name() {
        return "MySQL";
    }

    @Override
    public boolean versioned() {
        return false;
    }

    @Override
    public Object id(String id) {
        return RowId.of(id);
    }

    /// The plain equality finds the index; the second keeps projects apart that differ in case
    /// only.
    @Override
    public Condition same(String column, String value) {
        if (column.equals("Id")) return Condition.of("Id = ?", RowId.of(value));
        return SHORT.oneOf(column, List.of(value))
                .orElseGet(() ->
                        Condition.of(
                                "%1$s = ? AND CAST(%1$s AS BINARY) = CAST(? AS BINARY)"
                                        .formatted(column),
                                value,
                                value));
    }

    @Override
    public Condition oneOf(String column, List<String> values) {
        return SHORT.oneOf(column, values).orElseGet(() -> Dialect.super.oneOf(column, values));
    }

    @Override
    public Condition labels(Map<String, String> labels) {
        return contained(labels);
    }

    /// MySQL and MariaDB say it alike.
    static Condition contained(Map<String, String> labels) {
        var wanted = JsonNodeFactory.instance.objectNode();
        labels.forEach(wanted::put);
        return Condition.of("JSON_CONTAINS(Data, ?, '$.labels')", wanted.toString());
    }

    @Override
    public String notByAgents() {
        return "ByOthers = 1";
    }

    @Override
    public String adding(String key, List<String> columns) {
        return added(columns);
    }

    /// MySQL and MariaDB say it alike.
    static String added(List<String> columns) {
        return columns.stream()
                .map("%1$s = %1$s + VALUES(%1$s)"::formatted)
                .collect(Collectors.joining(", ", "ON DUPLICATE KEY UPDATE ", ""));
    }

    @Override
    public String joinInOrder() {
        return "STRAIGHT_JOIN";
    }

    /// The public columns are INT, and end in January 2038.
    @Override
    public long latest() {
        return Integer.MAX_VALUE;
    }

    @Override
    public List<String> migrations() {
        return List.of(
                "mysql/V1__public_schema.sql",
                "mysql/V2__trail.sql",
                "mysql/V3__identity_audit_insight.sql",
                "mysql/V4__labels.sql",
                "mysql/V5__ops.sql",
                "mysql/V6__request_ids.sql",
                "mysql/V7__log_journal.sql",
                "mysql/V8__file_journal.sql",
                "mysql/V9__audit.sql",
                "mysql/V10__insight_sums.sql",
                "mysql/V11__lists_of_a_project.sql");
    }
}
