// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An append-only file of entries. `append` returns when they are on the disk; appends that wait
/// together share one fsync.
///
/// A record is `length | crc32c | payload`; one call of `append` is one record, so all of it is
/// there after a crash or none.
public final class Journal implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Journal.class);
    private static final int HEADER = 8;
    private static final int LARGEST_RECORD = 64 << 20;

    private final Path file;
    private final EntryCodec codec = new EntryCodec();
    private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
    private final FileChannel lockChannel;
    private final List<Entry> found;
    private final Thread writer;
    private FileChannel channel;
    private volatile @Nullable IOException broken;

    private Journal(Path file, FileChannel lockChannel, FileChannel channel, List<Entry> found) {
        this.file = file;
        this.lockChannel = lockChannel;
        this.channel = channel;
        this.found = List.copyOf(found);
        this.writer = Thread.ofPlatform().name("journal").daemon().start(this::write);
    }

    /// Opens the journal in `directory`, reading what is there. A second opener of the same
    /// directory is refused.
    public static Journal open(Path directory) throws IOException {
        Files.createDirectories(directory);
        var lock = lock(directory.resolve("lock"));
        var file = directory.resolve("journal");
        var found = new ArrayList<Entry>();
        var end = Files.exists(file) ? read(file, found) : 0;
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.size() > end) keepAside(file, channel, end);
        channel.position(end);
        channel.force(true);
        syncDirectory(directory);
        return new Journal(file, lock, channel, found);
    }

    private static FileChannel lock(Path path) throws IOException {
        var channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) return channel;
        } catch (OverlappingFileLockException sameProcess) {
            // told below
        }
        channel.close();
        throw new IOException(
                "data directory: %s is in use by another agent (expected: one agent per directory)"
                        .formatted(path.getParent()));
    }

    /// Reads whole records into `found` and answers where the last whole one ends.
    private static long read(Path file, List<Entry> found) throws IOException {
        var codec = new EntryCodec();
        var end = 0L;
        try (var in =
                new DataInputStream(
                        new java.io.BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            while (in.available() > 0 || end < Files.size(file)) {
                if (Files.size(file) - end < HEADER) break;
                var length = in.readInt();
                var sum = in.readInt();
                if (length <= 0
                        || length > LARGEST_RECORD
                        || length > Files.size(file) - end - HEADER) break;
                var payload = in.readNBytes(length);
                if (checksum(payload) != sum) break;
                found.addAll(codec.read(payload));
                end += HEADER + length;
            }
        }
        return end;
    }

    /// A torn tail is what a crash leaves; it was never acknowledged. It is kept beside the journal
    /// all the same.
    private static void keepAside(Path file, FileChannel channel, long end) throws IOException {
        var torn = channel.size() - end;
        var aside = file.resolveSibling("journal.torn");
        try (var in = FileChannel.open(file, StandardOpenOption.READ);
                var out =
                        FileChannel.open(
                                aside,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.TRUNCATE_EXISTING)) {
            in.transferTo(end, torn, out);
        }
        channel.truncate(end);
        log.warn(
                "journal: the last {} bytes were not written whole (a crash); they are kept in {}",
                torn,
                aside);
    }

    /// What was in the journal when it was opened, in order.
    public List<Entry> found() {
        return found;
    }

    public void append(Entry... entries) {
        append(List.of(entries));
    }

    /// Returns when the entries are on the disk. All of them are there after a crash, or none.
    public void append(List<Entry> entries) {
        if (entries.isEmpty()) return;
        handOver(new Waiting(record(codec.write(entries)), new CountDownLatch(1), false));
    }

    /// Hands the entries to the writer and does not wait: a crash may forget them, which must do no
    /// harm.
    public void appendLater(Entry entry) {
        if (broken == null)
            queue.add(
                    new Waiting(record(codec.write(List.of(entry))), new CountDownLatch(1), false));
    }

    /// Replaces everything by `live`, atomically; what others append meanwhile comes after it.
    public void compact(List<Entry> live) {
        var bytes = live.isEmpty() ? new byte[0] : record(codec.write(live));
        handOver(new Waiting(bytes, new CountDownLatch(1), true));
    }

    public long size() {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    private void handOver(Waiting waiting) {
        if (broken == null) queue.add(waiting);
        else waiting.done.countDown();
        awaitUninterruptibly(waiting.done);
        var failure = broken;
        if (failure != null)
            throw new UncheckedIOException(
                    "the journal %s cannot be written".formatted(file), failure);
    }

    private void write() {
        var batch = new ArrayList<Waiting>();
        while (true) {
            try {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch);
                var last = batch.removeIf(w -> w.bytes.length == 0 && !w.replaces);
                if (broken == null && !batch.isEmpty()) writeAll(batch);
                if (last) return;
            } catch (IOException e) {
                broken = e;
                log.error(
                        "journal: {} cannot be written; the agent starts nothing new. Free or mend the disk, then restart.",
                        file,
                        e);
            } catch (InterruptedException e) {
                return;
            } finally {
                batch.forEach(w -> w.done.countDown());
            }
        }
    }

    private void writeAll(List<Waiting> batch) throws IOException {
        for (var waiting : batch) {
            if (waiting.replaces) replace(waiting.bytes);
            else writeFully(channel, waiting.bytes);
        }
        channel.force(false);
    }

    private void replace(byte[] bytes) throws IOException {
        var fresh = file.resolveSibling("journal.new");
        var out =
                FileChannel.open(
                        fresh,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        writeFully(out, bytes);
        out.force(true);
        channel.close();
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(file.toAbsolutePath().getParent());
        channel = out;
    }

    private static void writeFully(FileChannel to, byte[] bytes) throws IOException {
        var buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) to.write(buffer);
    }

    private static byte[] record(byte[] payload) {
        return ByteBuffer.allocate(HEADER + payload.length)
                .putInt(payload.length)
                .putInt(checksum(payload))
                .put(payload)
                .array();
    }

    private static int checksum(byte[] payload) {
        var crc = new CRC32C();
        crc.update(payload);
        return (int) crc.getValue();
    }

    private static void syncDirectory(@Nullable Path directory) throws IOException {
        if (directory == null) return;
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /// An interrupt must not make a caller believe that its entries are not on the disk.
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

    @Override
    public void close() throws IOException {
        queue.add(new Waiting(new byte[0], new CountDownLatch(1), false));
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        channel.close();
        lockChannel.close();
    }

    /// @param replaces whether the bytes take the place of the whole file
    private record Waiting(byte[] bytes, CountDownLatch done, boolean replaces) {}
}
