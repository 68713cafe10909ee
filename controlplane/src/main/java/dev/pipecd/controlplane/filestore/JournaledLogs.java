// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.wire.model.LogBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stage logs in a bucket behind a journal: lines are durable in the journal when the caller is
/// told, and are brought to the bucket together, after a while, before somebody reads them, and
/// with the end. The bucket leaves out what it has, so that bringing lines twice does no harm: they
/// leave the journal only when the bucket has them.
final class JournaledLogs implements StageLogStore {
    private static final Logger log = LoggerFactory.getLogger(JournaledLogs.class);

    /// A server that lives has brought its own long before.
    private static final Duration LEFT_BEHIND = Duration.ofMinutes(1);

    /// For how long a log is taken for going on without asking the bucket. Much shorter than ends
    /// are kept in the journal, so that nobody misses one.
    private static final Duration TRUSTED = Duration.ofMinutes(10);

    private static final Duration ENDS_KEPT = Duration.ofHours(6);

    /// Larger reports go to the bucket at once: a database takes statements up to a size.
    private static final int LARGEST = 256 * 1024;

    private static final int MOST_COLLECTED = 1024 * 1024;

    private final S3StageLogs bucket;
    private final LogJournal journal;
    private final LongSupplier nanos;
    private final Map<FilePath, GoingOn> goingOn = new ConcurrentHashMap<>();
    private final Bringing bringing;

    /// @param nanos a clock that only runs forward
    JournaledLogs(S3StageLogs bucket, LogJournal journal, LongSupplier nanos) {
        this.bucket = bucket;
        this.journal = journal;
        this.nanos = nanos;
        this.bringing =
                new Bringing("Stage logs", path -> bring(path, List.of(), false), this::stays);
    }

    static JournaledLogs start(S3StageLogs bucket, LogJournal journal) {
        var logs = new JournaledLogs(bucket, journal, System::nanoTime);
        logs.bringing.start(logs::due);
        return logs;
    }

    @Override
    public boolean append(FilePath path, List<LogBlock> blocks, boolean completed) {
        if (completed) {
            journal.end(path);
            var standing = bring(path, blocks, true);
            goingOn.remove(path);
            return standing;
        }
        var bytes = blocks.stream().mapToLong(LogBlock::getSerializedSize).sum();
        var known = goesOn(path);
        if (known.isEmpty() || bytes > LARGEST) return bring(path, blocks, false);
        if (blocks.isEmpty()) return true;
        if (!journal.add(path, blocks)) {
            goingOn.remove(path);
            return bring(path, blocks, false);
        }
        known.get().noted(bytes, nanos.getAsLong());
        return true;
    }

    /// The bucket is asked for a log that we do not know, or have not asked for in a while.
    private Optional<GoingOn> goesOn(FilePath path) {
        var known = goingOn.get(path);
        if (known != null && nanos.getAsLong() - known.asked < TRUSTED.toNanos())
            return Optional.of(known);
        var asked = nanos.getAsLong();
        if (bucket.ended(path)) {
            goingOn.remove(path);
            return Optional.empty();
        }
        var entry =
                goingOn.computeIfAbsent(path, _ -> new GoingOn(Bringing.collecting(path), asked));
        entry.asked = asked;
        return Optional.of(entry);
    }

    /// Writes what the journal has of the log into the bucket, with these behind it; whether these
    /// stand there now.
    private boolean bring(FilePath path, List<LogBlock> own, boolean end) {
        var known = goingOn.get(path);
        if (known != null) known.begun(); // before looking: what comes meanwhile is for the next
        while (true) {
            var found = journal.first(path);
            var brought = found.entries().stream().flatMap(e -> e.blocks().stream()).toList();
            var blocks = new ArrayList<>(brought);
            if (!found.more()) blocks.addAll(own);
            if (blocks.isEmpty() && !end) return true;
            var standing = bucket.append(path, blocks, end && !found.more());
            if (!standing && !bucket.append(path, brought, false)) leftOut(path);
            journal.remove(path, found.entries());
            if (!found.more()) return standing || bucket.append(path, own, end);
        }
    }

    private static void leftOut(FilePath path) {
        log.warn(
                "A server that knows no journal has ended the stage log {}; lines that were"
                        + " taken before are left out.",
                path);
    }

    @Override
    public Optional<Part> read(FilePath path, long from) {
        var _ = bring(path, List.of(), false);
        return bucket.read(path, from);
    }

    /// Brings what has been collected for long enough, or is much.
    void bringDue() {
        bringing.all(due(), () -> true);
    }

    private List<FilePath> due() {
        var now = nanos.getAsLong();
        goingOn.values().removeIf(entry -> entry.isIdle() && now - entry.asked > TRUSTED.toNanos());
        var due = new ArrayList<FilePath>();
        goingOn.forEach((path, entry) -> {
            if (entry.isDue(now)) due.add(path);
        });
        return due;
    }

    /// What servers that died have left; and ends that everybody knows by now.
    @Override
    public void tidy(BooleanSupplier goesOn) {
        bringing.all(journal.left(LEFT_BEHIND), goesOn);
        journal.forgetEnds(ENDS_KEPT);
    }

    /// And is due again.
    private void stays(FilePath path) {
        var known = goingOn.get(path);
        if (known != null) known.noted(0, nanos.getAsLong());
    }

    @Override
    public void close() {
        bringing.close(() -> journal.left(Duration.ZERO));
        bucket.close();
    }

    /// A log that has not ended, and what was collected for it since it was brought to the bucket.
    private static final class GoingOn {
        private final Duration collecting;
        private volatile long asked;
        private long since;
        private long bytes;
        private boolean collected;

        GoingOn(Duration collecting, long asked) {
            this.collecting = collecting;
            this.asked = asked;
        }

        synchronized void noted(long more, long now) {
            if (!collected) since = now;
            collected = true;
            bytes += more;
        }

        synchronized void begun() {
            collected = false;
            bytes = 0;
        }

        synchronized boolean isDue(long now) {
            return collected && (now - since >= collecting.toNanos() || bytes >= MOST_COLLECTED);
        }

        synchronized boolean isIdle() {
            return !collected;
        }
    }
}
