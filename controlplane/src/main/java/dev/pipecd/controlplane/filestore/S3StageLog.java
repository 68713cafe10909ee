// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.controlplane.filestore.StageLogStore.Part;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.LogBlock;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One stage log in a bucket. While it goes on it is a row of parts; the last one grows, by being
/// replaced under the condition that it is what we know, until it is full. So of two servers that
/// append to one log the second is told, looks, and writes behind the first. When the log has
/// ended, the parts become one file in the public form.
final class S3StageLog {
    private static final Logger log = LoggerFactory.getLogger(S3StageLog.class);
    private static final int MOST_AT_ONCE = 1024 * 1024;
    private static final int MOST_TRIES = 50;

    private final LogParts parts;
    private final Deque<Waiting> queue = new ConcurrentLinkedDeque<>();

    S3StageLog(S3Bucket bucket, String file) {
        this.parts = new LogParts(bucket, file);
    }

    /// Who comes while another writes is written together with all others who wait.
    boolean append(List<LogBlock> blocks, boolean end) {
        var mine = new Waiting(blocks, end);
        queue.add(mine);
        synchronized (this) {
            while (!mine.done) writeTogether(taken());
        }
        return mine.answer();
    }

    /// No further than an end: what comes behind it must be refused.
    private List<Waiting> taken() {
        var batch = new ArrayList<Waiting>();
        var bytes = 0L;
        Waiting next;
        while (bytes < MOST_AT_ONCE && (next = queue.poll()) != null) {
            batch.add(next);
            bytes += next.blocks.stream().mapToLong(LogBlock::getSerializedSize).sum();
            if (next.end) break;
        }
        return batch;
    }

    private void writeTogether(List<Waiting> batch) {
        try {
            var standing = write(batch);
            batch.forEach(w -> w.tell(standing || parts.digest().missing(w.blocks).isEmpty()));
        } catch (RuntimeException e) {
            batch.forEach(w -> w.fail(e));
        } catch (Error e) {
            batch.forEach(w -> w.fail(new IllegalStateException(e)));
            throw e;
        }
    }

    /// Whether all of it stands in the log now.
    private boolean write(List<Waiting> batch) {
        var blocks = batch.stream().flatMap(w -> w.blocks.stream()).toList();
        var end = batch.getLast().end;
        parts.know();
        for (var tries = 0; tries < MOST_TRIES; tries++) {
            var news = parts.digest().missing(blocks);
            if (parts.digest().completed()) {
                parts.join();
                return news.isEmpty();
            }
            if (news.isEmpty() && !end) return true;
            if (parts.write(news, end)) {
                if (end) parts.join();
                return true;
            }
            parts.follow(); // somebody else was first
        }
        throw new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "stage log: %d others were first (expected: one agent that writes it)"
                        .formatted(MOST_TRIES),
                "Send the lines again.");
    }

    synchronized Optional<Part> read(long from) {
        parts.look();
        if (parts.isEmpty()) return Optional.empty();
        try {
            // A server that died between the end and here has left this to whoever looks next.
            if (parts.digest().completed()) parts.join();
        } catch (Problem e) {
            log.warn("A stage log has ended and stays in parts for now: {}", e.told());
        }
        return Optional.of(parts.read(from));
    }

    synchronized boolean ended() {
        parts.look();
        return parts.digest().completed();
    }

    synchronized void handOver() {
        parts.handOver();
    }

    /// What somebody wants to have written, and what became of it.
    private static final class Waiting {
        private final List<LogBlock> blocks;
        private final boolean end;
        private boolean done;
        private boolean standing;
        private @Nullable RuntimeException failure;

        Waiting(List<LogBlock> blocks, boolean end) {
            this.blocks = List.copyOf(blocks);
            this.end = end;
        }

        void tell(boolean answer) {
            standing = answer;
            done = true;
        }

        void fail(RuntimeException e) {
            failure = e;
            done = true;
        }

        boolean answer() {
            if (failure != null) throw failure;
            return standing;
        }
    }
}
