// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An append-only file of entries. `append` returns when they are on the disk; appends that wait
/// together share one fsync. One call of `append` is one record, so all of it is there after a
/// crash or none.
///
/// While the disk takes nothing, `append` does not return: nothing is done that could not be
/// recorded, and all goes on when there is room again.
public final class Journal implements Pages {
    private static final Logger log = LoggerFactory.getLogger(Journal.class);
    private static final long TRY_AGAIN_MS = 500;

    /// Of a record that takes the place of many: all of them in one would not fit into an array.
    private static final int LARGE_RECORD = 1 << 20;

    private final JournalFile file;
    private final EntryCodec codec = new EntryCodec();
    private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
    private final FileChannel lockChannel;
    private final List<Entry> found;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread writer;
    private volatile List<Waiting> inHand = List.of();
    private volatile String trouble = "";
    private volatile boolean over;

    private Journal(JournalFile file, FileChannel lockChannel, List<Entry> found) {
        this.file = file;
        this.lockChannel = lockChannel;
        this.found = List.copyOf(found);
        this.writer = Thread.ofPlatform().name("journal").daemon().start(this::write);
    }

    /// Opens the journal in `directory`, reading what is there. A second agent in the same
    /// directory waits until the first is gone.
    public static Journal open(Path directory) throws IOException {
        try {
            return opened(directory);
        } catch (FileSystemException e) {
            // Of most of these the message is the path alone.
            throw new Problem(
                    Problem.Code.STORE_UNAVAILABLE,
                    "data directory: %s (expected: a folder the agent can write)".formatted(e),
                    "Give the user the agent runs as write permission to it, or name another one with --data-dir.",
                    e);
        }
    }

    private static Journal opened(Path directory) throws IOException {
        Files.createDirectories(directory);
        var lock = lock(directory.resolve("lock"));
        var payloads = new ArrayList<byte[]>();
        var file = JournalFile.open(directory.resolve("journal"), payloads);
        var codec = new EntryCodec();
        var found = new ArrayList<Entry>();
        for (var payload : payloads) found.addAll(codec.read(payload));
        return new Journal(file, lock, found);
    }

    private static FileChannel lock(Path path) throws IOException {
        var channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) return channel;
            log.warn(
                    "data directory: {} is in use by another agent. This one waits and takes over when it is gone."
                            + " If both are meant to run, give each its own --data-dir and id.",
                    path.getParent());
            var _ = channel.lock();
            return channel;
        } catch (OverlappingFileLockException sameProcess) {
            // told below
        }
        channel.close();
        throw new IOException(
                "data directory: %s is in use by another agent (expected: one agent per directory)"
                        .formatted(path.getParent()));
    }

    /// What was in the journal when it was opened, in order.
    @Override
    public List<Entry> found() {
        return found;
    }

    public void append(Entry... entries) {
        append(List.of(entries));
    }

    /// Returns when the entries are on the disk. All of them are there after a crash, or none.
    @Override
    public void append(List<Entry> entries) {
        if (!entries.isEmpty()) handOver(new Waiting(Kind.APPEND, List.of(codec.write(entries))));
    }

    /// Hands the entries to the writer and does not wait: a crash may forget them, which must do no
    /// harm.
    @Override
    public void appendLater(Entry entry) {
        queue.add(new Waiting(Kind.APPEND, List.of(codec.write(List.of(entry)))));
    }

    /// Replaces everything by `live`, atomically; what others append meanwhile comes after it.
    /// Where there is no room for that, everything stays.
    @Override
    public void compact(List<Entry> live) {
        handOver(new Waiting(Kind.REPLACE, codec.pieces(live, LARGE_RECORD)));
    }

    @Override
    public Path path() {
        return file.path();
    }

    @Override
    public long size() {
        try {
            return Files.size(file.path());
        } catch (IOException e) {
            return 0;
        }
    }

    /// Why nothing can be written; empty when all is well.
    @Override
    public String trouble() {
        return trouble;
    }

    /// How many records are not on the disk yet.
    @Override
    public int waiting() {
        return queue.size() + inHand.size();
    }

    /// The agent is about to stop: what the disk does not take now is not waited for.
    @Override
    public void stopWaiting() {
        closing.countDown();
    }

    private void handOver(Waiting waiting) {
        queue.add(waiting);
        // The writer may have looked for the last time.
        if (over) waiting.done.countDown();
        awaitUninterruptibly(waiting.done);
        if (!waiting.onDisk) throw new JournalClosed();
    }

    private void write() {
        try {
            while (take()) {
                while (!written(inHand)) {
                    if (closing.await(TRY_AGAIN_MS, TimeUnit.MILLISECONDS)) return;
                }
                inHand.forEach(Waiting::confirm);
                inHand = List.of();
            }
        } catch (InterruptedException e) {
            log.debug("the journal's writer is interrupted", e);
        } finally {
            over = true;
            inHand.forEach(w -> w.done.countDown());
            queue.forEach(w -> w.done.countDown());
        }
    }

    /// Takes what one fsync will do for: all appends that wait, or one replacement. False at the
    /// end.
    private boolean take() throws InterruptedException {
        var first = queue.take();
        var batch = new ArrayList<>(List.of(first));
        if (first.kind == Kind.APPEND)
            for (var next = queue.peek();
                    next != null && next.kind == Kind.APPEND;
                    next = queue.peek()) batch.add(queue.remove());
        inHand = batch;
        return first.kind != Kind.END;
    }

    private boolean written(List<Waiting> batch) {
        try {
            if (batch.getFirst().kind == Kind.REPLACE) replace(batch.getFirst().payloads);
            else file.append(batch.stream().flatMap(w -> w.payloads.stream()).toList());
            if (!trouble.isEmpty()) log.info("journal: {} is written again", file.path());
            trouble = "";
            return true;
        } catch (IOException e) {
            if (trouble.isEmpty())
                log.error(
                        "journal: {} cannot be written; the agent starts nothing new until it can. Free or mend the disk.",
                        file.path(),
                        e);
            trouble = String.valueOf(e.getMessage());
            return false;
        }
    }

    private void replace(List<byte[]> payloads) {
        try {
            file.replace(payloads);
        } catch (IOException e) {
            log.warn("journal: {} cannot be made smaller; it grows on", file.path(), e);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch done) {
        var interrupted = false;
        while (true) {
            try {
                done.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    /// What can be written by now is; what cannot was never acknowledged.
    @Override
    public void close() throws IOException {
        stopWaiting();
        queue.add(new Waiting(Kind.END, List.of()));
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        file.close();
        lockChannel.close();
    }

    private enum Kind {
        APPEND,
        REPLACE,
        END
    }

    private static final class Waiting {
        private final Kind kind;
        private final List<byte[]> payloads;
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile boolean onDisk;

        private Waiting(Kind kind, List<byte[]> payloads) {
            this.kind = kind;
            this.payloads = payloads;
        }

        private void confirm() {
            onDisk = true;
            done.countDown();
        }
    }
}
