// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.figures;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.insight.Day.Sums;
import dev.pipecd.controlplane.insight.Delivery;
import dev.pipecd.controlplane.insight.Tally;
import dev.pipecd.wire.model.DeploymentStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// A row of `Delivery`.
///
/// @param labels JSON, in the order of their names
/// @param sums what it adds to the sums of its day
/// @param restoreTime seconds, below zero where it restored nothing
/// @param summed whether it is in the sums
public record Counted(
        String id,
        String project,
        String labels,
        long at,
        Sums sums,
        long restoreTime,
        boolean summed) {
    private static final int SUMMED = 2;

    /// As it is counted first.
    public static Counted of(Delivery delivery) {
        var failed = delivery.status() == DeploymentStatus.DEPLOYMENT_FAILURE;
        var labels = JsonNodeFactory.instance.objectNode();
        new TreeMap<>(delivery.labels()).forEach(labels::put);
        return new Counted(
                delivery.deployment(),
                delivery.project(),
                labels.toString(),
                delivery.completedAt(),
                Sums.of(failed, delivery.leadTime(), -1),
                -1,
                true);
    }

    /// @param row of `Id, ProjectId, Labels, CompletedAt, Status, LeadTime, RestoreTime, Summed`
    public static Counted of(ResultSet row) throws SQLException {
        var failed = row.getInt(5) == DeploymentStatus.DEPLOYMENT_FAILURE_VALUE;
        return new Counted(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getLong(4),
                Sums.of(failed, row.getLong(6), row.getLong(7)),
                row.getLong(7),
                row.getInt(8) == SUMMED);
    }

    /// Into the sums of its day.
    public void add(Tally tally) {
        tally.add(project, names(), at, sums);
    }

    /// Out of the sums of its day.
    public void take(Tally tally) {
        tally.add(project, names(), at, sums.negated());
    }

    public Counted restored(long time) {
        return new Counted(id, project, labels, at, sums.restored(time), time, summed);
    }

    private Map<String, String> names() {
        var names = new HashMap<String, String>();
        for (var label : GoJson.parse(labels).properties())
            names.put(label.getKey(), label.getValue().asText(""));
        return names;
    }

    static boolean carries(String labels, Map<String, String> wanted) {
        var tree = GoJson.parse(labels);
        return wanted.entrySet().stream()
                .allMatch(e -> tree.path(e.getKey()).asText("").equals(e.getValue()));
    }

    /// As it stands in `labels` of every row that carries it.
    static String written(String name, String value) {
        var one = JsonNodeFactory.instance.objectNode().put(name, value).toString();
        return one.substring(1, one.length() - 1);
    }
}
