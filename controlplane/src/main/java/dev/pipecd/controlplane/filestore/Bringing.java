// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings what waits in a journal to the bucket, a few at a time: what is due at short intervals,
/// and whatever else is asked for. What fails stays in the journal.
final class Bringing {
    private static final Logger log = LoggerFactory.getLogger(Bringing.class);
    private static final Duration PACE = Duration.ofMillis(200);
    private static final int MOST_AT_ONCE = 8;
    private static final Duration COLLECTING = Duration.ofSeconds(10);

    private final String what;
    private final Consumer<FilePath> bring;
    private final Consumer<FilePath> failed;
    private final CountDownLatch closed = new CountDownLatch(1);
    private Thread thread = Thread.ofVirtual().unstarted(() -> {});
    private volatile boolean failing;

    /// @param what is brought, for people: "Stage logs"
    /// @param failed told of each that stays where it is
    Bringing(String what, Consumer<FilePath> bring, Consumer<FilePath> failed) {
        this.what = what;
        this.bring = bring;
        this.failed = failed;
    }

    /// How long something is collected before it is brought: ten seconds at most, and not as long
    /// for one as for another, or all of them would be due at once.
    static Duration collecting(FilePath path) {
        var half = COLLECTING.toMillis() / 2;
        return Duration.ofMillis(half + Math.floorMod(path.hashCode(), half + 1));
    }

    void start(Supplier<List<FilePath>> due) {
        thread = Thread.ofVirtual().name("bringing").start(() -> run(due));
    }

    private void run(Supplier<List<FilePath>> due) {
        try {
            while (!closed.await(PACE.toMillis(), TimeUnit.MILLISECONDS))
                all(due.get(), () -> closed.getCount() > 0);
        } catch (InterruptedException e) {
            log.debug("interrupted", e); // nobody does that
        }
    }

    void all(List<FilePath> paths, BooleanSupplier goesOn) {
        aFewAtATime(
                paths,
                path -> {
                    if (goesOn.getAsBoolean()) attempt(path);
                });
    }

    /// Returns when all are done; what `each` throws is lost.
    static void aFewAtATime(List<FilePath> paths, Consumer<FilePath> each) {
        var places = new Semaphore(MOST_AT_ONCE);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var path : paths) {
                places.acquireUninterruptibly();
                var _ =
                        threads.submit(() -> {
                            try {
                                each.accept(path);
                            } finally {
                                places.release();
                            }
                        });
            }
        }
    }

    private void attempt(FilePath path) {
        try {
            bring.accept(path);
            failing = false;
        } catch (Problem e) {
            failed.accept(path);
            if (!failing)
                log.warn("{} stay in the database until the bucket is back: {}", what, e.told());
            failing = true;
        } catch (RuntimeException e) {
            failed.accept(path);
            log.error("{} of {} stay in the database; please report it.", what, path, e);
        }
    }

    /// Whoever comes next may know no journal: the bucket gets all of it, also what others left.
    void close(Supplier<List<FilePath>> left) {
        closed.countDown();
        try {
            if (thread.isAlive()) thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            all(left.get(), () -> true);
        } catch (Problem e) {
            log.warn(
                    "{} stay in the database, for a server of ours to bring them to the bucket: {}",
                    what,
                    e.told());
        }
    }
}
