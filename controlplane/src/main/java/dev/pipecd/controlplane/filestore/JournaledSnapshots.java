// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/// In a bucket behind a journal: a snapshot is durable in the journal when its writer is told, and
/// the newest is brought to the bucket after a while, so that one that is replaced every few
/// seconds is not paid for each time. The journal's numbers tell who was first among all servers.
final class JournaledSnapshots implements Snapshots {
    /// A server that lives has brought its own long before.
    private static final Duration LEFT_BEHIND = Duration.ofMinutes(1);

    /// Larger ones go to the bucket at once: a database takes statements up to a size.
    private static final int LARGEST = 256 * 1024;

    private static final int MOST_TRIES = 100;

    private final S3Bucket bucket;
    private final FileJournal journal;
    private final LongSupplier nanos;

    /// Those that wait because of this server, and since when.
    private final Map<FilePath, Long> mine = new ConcurrentHashMap<>();

    private final Bringing bringing = new Bringing("Live states", this::bring, this::noted);

    /// @param nanos a clock that only runs forward
    JournaledSnapshots(S3Bucket bucket, FileJournal journal, LongSupplier nanos) {
        this.bucket = bucket;
        this.journal = journal;
        this.nanos = nanos;
    }

    static JournaledSnapshots start(S3Bucket bucket, FileJournal journal) {
        var snapshots = new JournaledSnapshots(bucket, journal, System::nanoTime);
        snapshots.bringing.start(snapshots::due);
        return snapshots;
    }

    @Override
    public void put(FilePath path, byte[] content) {
        if (content.length > LARGEST) {
            for (var tries = 0; tries < MOST_TRIES; tries++)
                if (putAtOnce(path, journal.find(path), content)) return;
            throw restless(path);
        }
        journal.put(path, content);
        noted(path);
    }

    /// What waits is older then, and must not be brought behind it. Dying before that is said
    /// leaves the older one, as if this had never come; nobody was told otherwise.
    private boolean putAtOnce(FilePath path, FileJournal.Waiting known, byte[] content) {
        return toBucket(path, known, content)
                && journal.replace(path, known.number(), Optional.empty());
    }

    @Override
    public Optional<byte[]> get(FilePath path) {
        return content(path, journal.find(path));
    }

    private Optional<byte[]> content(FilePath path, FileJournal.Waiting waiting) {
        return waiting.content().or(() -> bucket.get(path.toString()).map(S3Bucket.Held::content));
    }

    @Override
    public boolean change(FilePath path, UnaryOperator<byte[]> change) {
        for (var tries = 0; tries < MOST_TRIES; tries++) {
            var known = journal.find(path);
            var stored = content(path, known);
            if (stored.isEmpty()) return false;
            var changed = change.apply(stored.get());
            if (Arrays.equals(changed, stored.get())) return true;
            if (changed.length > LARGEST) {
                if (putAtOnce(path, known, changed)) return true;
            } else if (journal.replace(path, known.number(), Optional.of(changed))) {
                noted(path);
                return true;
            }
        }
        throw restless(path);
    }

    /// Others may be first now and then, but not for ever: a bucket that hides what it holds says
    /// so each time.
    private static Problem restless(FilePath path) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "file store: %s is another one each of %d times (expected: to be written)"
                        .formatted(path, MOST_TRIES),
                "It is tried again; if it stays, allow s3:GetObject to the credentials of the file store.");
    }

    private void noted(FilePath path) {
        mine.putIfAbsent(path, nanos.getAsLong());
    }

    List<FilePath> due() {
        var now = nanos.getAsLong();
        return mine.entrySet().stream()
                .filter(entry ->
                        now - entry.getValue() >= Bringing.collecting(entry.getKey()).toNanos())
                .map(Map.Entry::getKey)
                .toList();
    }

    /// What comes meanwhile waits anew.
    void bring(FilePath path) {
        mine.remove(path); // before looking
        for (var tries = 0; tries < MOST_TRIES; tries++) {
            var waiting = journal.find(path);
            if (waiting.content().isEmpty()) return;
            if (putAtOnce(path, waiting, waiting.content().get())) return;
        }
        throw restless(path);
    }

    /// Only upon what stood there while this was the newest: a server that was held up between
    /// looking and writing must not put older content behind newer.
    private boolean toBucket(FilePath path, FileJournal.Waiting newest, byte[] content) {
        var key = path.toString();
        var standing = bucket.tag(key);
        if (journal.find(path).number() != newest.number()) return false;
        return standing.isPresent()
                ? bucket.replace(key, standing.get(), content).isPresent()
                : bucket.create(key, content).isPresent();
    }

    @Override
    public void tidy(BooleanSupplier goesOn) {
        bringing.all(journal.waiting(LEFT_BEHIND), goesOn);
    }

    @Override
    public void close() {
        bringing.close(() -> journal.waiting(Duration.ZERO));
    }
}
