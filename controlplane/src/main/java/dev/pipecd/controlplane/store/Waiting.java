// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.domain.Problem;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One unit of work and the caller who waits for it. It may be run more than once; only the last
/// run counts.
final class Waiting<R> {
    private static final Logger log = LoggerFactory.getLogger(Waiting.class);

    private final Database.Unit<R> unit;
    private final boolean last;
    private final CountDownLatch told = new CountDownLatch(1);
    private List<Runnable> afterCommit = List.of();
    private @Nullable R result;
    private @Nullable Throwable failure;
    private @Nullable SQLException trouble;

    /// @param last nothing comes behind it
    Waiting(Database.Unit<R> unit, boolean last) {
        this.unit = unit;
        this.last = last;
    }

    boolean isLast() {
        return last;
    }

    boolean run(Transaction transaction) {
        afterCommit = List.of();
        result = null;
        failure = null;
        trouble = null;
        try {
            result = unit.run(transaction);
            afterCommit = transaction.afterCommit();
            return true;
        } catch (SQLException e) {
            trouble = e;
            failure = unavailable(e);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        return false;
    }

    /// What the database had against the last run.
    Optional<SQLException> trouble() {
        return Optional.ofNullable(trouble);
    }

    void fail(Throwable e) {
        if (failure == null) failure = e;
        afterCommit = List.of();
    }

    /// In place of what the last run ended with.
    void failAs(Problem e) {
        failure = e;
        afterCommit = List.of();
    }

    void tell() {
        for (var step : afterCommit) {
            try {
                step.run();
            } catch (RuntimeException e) {
                log.warn("A listener to a committed change failed; the change stands.", e);
            }
        }
        told.countDown();
    }

    R await() {
        var interrupted = false;
        while (true) {
            try {
                told.await();
                break;
            } catch (InterruptedException _) {
                interrupted = true; // the outcome is near; leaving now would not undo it
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        if (failure instanceof RuntimeException e) throw e;
        if (failure instanceof Error e) throw e;
        return Objects.requireNonNull(result);
    }

    static Problem unavailable(SQLException e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "store: unavailable",
                "Look at the log and the disk of the control plane, then try again.",
                e);
    }
}
