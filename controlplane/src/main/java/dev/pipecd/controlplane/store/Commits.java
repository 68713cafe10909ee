// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// How an engine makes units of work durable together.
interface Commits extends AutoCloseable {
    /// Runs the units and commits those that did not fail. When it returns, each has its outcome:
    /// durable, or failed and without a trace. What is to be done before the callers are told is
    /// answered.
    List<Runnable> commit(List<Waiting<?>> units);

    @Override
    void close();

    /// Puts what the units told on the trail, as the last thing before the commit.
    static List<Runnable> number(Transaction end, List<Transaction> units) throws SQLException {
        var byTrail = new LinkedHashMap<Trail, List<Transaction.Told>>();
        for (var unit : units)
            for (var told : unit.told())
                byTrail.computeIfAbsent(told.trail(), _ -> new ArrayList<>()).add(told);
        var afterwards = new ArrayList<Runnable>();
        for (var entry : byTrail.entrySet())
            afterwards.add(entry.getKey().append(end, entry.getValue()));
        return afterwards;
    }
}
