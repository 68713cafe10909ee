// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Trace;
import dev.pipecd.controlplane.store.engine.Batch;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// What one unit of work sees of the database, inside a commit that it may share with others.
final class Transaction {
    private final Batch batch;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterTrail = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();
    private boolean wrote;

    Transaction(Batch batch) {
        this.batch = batch;
    }

    Batch batch() {
        return batch;
    }

    /// A statement kept ready between transactions: the caller closes result sets, never the
    /// statement.
    PreparedStatement prepare(String sql, Object... values) throws SQLException {
        if (!sql.startsWith("SELECT")) wrote = true;
        return batch.prepare(sql, values);
    }

    /// A write whose outcome nobody needs before the commit.
    Batch.Sent later(String sql, Object... values) throws SQLException {
        wrote = true;
        return batch.later(sql, values);
    }

    /// Goes on the trail when all that shares the commit is done, so that whoever else writes waits
    /// for the shortest time.
    void tell(Told change) {
        told.add(change);
    }

    List<Told> told() {
        return told;
    }

    /// Runs on the writer's thread once the work is durable and before its caller is told.
    void afterCommit(Runnable step) {
        afterCommit.add(step);
    }

    List<Runnable> afterCommit() {
        return afterCommit;
    }

    /// The same, once all that shares the commit was passed on in the order of the trail.
    void afterTrail(Runnable step) {
        afterTrail.add(step);
    }

    List<Runnable> afterTrail() {
        return afterTrail;
    }

    /// Whether there is anything to undo. A login changes nothing but the trail.
    boolean wrote() {
        return wrote || !told.isEmpty();
    }

    /// A change for the trail.
    ///
    /// @param heard what is done when its turn on the trail has come, behind the followers
    record Told(Trail trail, Change change, Trace trace, Runnable heard) {}
}
