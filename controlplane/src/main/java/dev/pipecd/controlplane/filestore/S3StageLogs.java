// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.LogBlock;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stage logs in a bucket, which cannot append: a log that goes on is a row of parts, see
/// `S3StageLog`. What is known of a log is kept in memory for a while; forgetting it costs reading
/// it again.
public final class S3StageLogs implements StageLogStore {
    private static final Logger log = LoggerFactory.getLogger(S3StageLogs.class);
    private static final int MOST_KNOWN = 256;

    /// More stages do not run at once; what is left behind of others makes room.
    private static final int MOST_GOING_ON = 10_000;

    private static final int MOST_NAMED = 20;

    private final S3Bucket bucket;
    private final Map<FilePath, S3StageLog> known;
    private final SequencedSet<FilePath> goingOn = new LinkedHashSet<>();

    S3StageLogs(S3Bucket bucket) {
        this(bucket, MOST_KNOWN);
    }

    S3StageLogs(S3Bucket bucket, int mostKnown) {
        this.bucket = bucket;
        this.known =
                new LinkedHashMap<>(16, 0.75f, true) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<FilePath, S3StageLog> eldest) {
                        return size() > mostKnown;
                    }
                };
    }

    @Override
    public boolean append(FilePath path, List<LogBlock> blocks, boolean completed) {
        var standing = log(path).append(blocks, completed);
        note(path, completed);
        return standing;
    }

    private void note(FilePath path, boolean completed) {
        synchronized (known) {
            goingOn.remove(path);
            if (completed) return;
            goingOn.add(path);
            if (goingOn.size() > MOST_GOING_ON) goingOn.removeFirst();
        }
    }

    @Override
    public Optional<Part> read(FilePath path, long from) {
        return log(path).read(from);
    }

    /// Whether it takes no more lines.
    boolean ended(FilePath path) {
        return log(path).ended();
    }

    private S3StageLog log(FilePath path) {
        synchronized (known) {
            return known.computeIfAbsent(path, p -> new S3StageLog(bucket, p.toString()));
        }
    }

    /// A public server may come next, and finds only files: logs that go on are written there too.
    @Override
    public void close() {
        List<FilePath> left;
        synchronized (known) {
            goingOn.addAll(known.keySet());
            left = List.copyOf(goingOn);
        }
        var failed = new ConcurrentSkipListMap<String, String>();
        Bringing.aFewAtATime(left, path -> handOver(path, failed));
        if (!failed.isEmpty())
            log.warn(
                    "{} of {} stage logs that go on stay in parts, which only we can read: {}. Of the first it says: {}",
                    failed.size(),
                    left.size(),
                    failed.keySet().stream().limit(MOST_NAMED).collect(Collectors.joining(", ")),
                    failed.firstEntry().getValue());
        synchronized (known) {
            known.clear();
            goingOn.clear();
        }
    }

    /// What becomes of one does not keep the others from it.
    private void handOver(FilePath path, Map<String, String> failed) {
        try {
            log(path).handOver();
        } catch (Problem e) {
            failed.put(path.toString(), e.told());
        } catch (RuntimeException e) {
            failed.put(path.toString(), e.toString());
        }
    }
}
