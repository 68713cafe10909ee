// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.util.List;
import java.util.Map;

/// MariaDB in a schema of our own, which compares text byte by byte.
final class MariaDbDialect implements Dialect {
    private static final ShortColumns SHORT = ShortColumns.allOf(255, "JSON_VALUE(Data, '$.%s')");

    @Override
    public String name() {
        return "MariaDB";
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
        return SHORT.oneOf(column, List.of(value))
                .orElseGet(() -> Condition.of(column + " = ?", value));
    }

    @Override
    public Condition oneOf(String column, List<String> values) {
        return SHORT.oneOf(column, values).orElseGet(() -> Dialect.super.oneOf(column, values));
    }

    @Override
    public Condition labels(Map<String, String> labels) {
        return MySqlDialect.contained(labels);
    }

    @Override
    public String notByAgents() {
        return "ByOthers = 1";
    }

    @Override
    public String adding(String key, List<String> columns) {
        return MySqlDialect.added(columns);
    }

    @Override
    public String joinInOrder() {
        return "STRAIGHT_JOIN";
    }

    @Override
    public long latest() {
        return Long.MAX_VALUE;
    }

    @Override
    public List<String> migrations() {
        return List.of(
                "mariadb/V1__documents.sql",
                "mariadb/V2__trail.sql",
                "mariadb/V3__identity_audit_insight.sql",
                "mariadb/V4__labels.sql",
                "mariadb/V5__ops.sql",
                "mariadb/V6__request_ids.sql",
                "mariadb/V7__log_journal.sql",
                "mariadb/V8__file_journal.sql",
                "mariadb/V9__audit.sql",
                "mariadb/V10__insight_sums.sql");
    }
}
