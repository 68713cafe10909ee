// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The journal's bytes on the disk: records of `length | crc32c | payload`. What cannot be written
/// leaves nothing behind, and may be tried again.
final class JournalFile implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JournalFile.class);
    private static final int HEADER = 8;

    /// In front of the payload of a record before which all was on the disk when it was begun. A
    /// blank, which is none of JSON: an agent of before reads over it.
    private static final byte MARK = ' ';

    /// What an array takes: whatever could be written can be read.
    private static final int LARGEST_RECORD = Integer.MAX_VALUE - 3 * HEADER;

    private final Path path;
    private FileChannel channel;

    /// Everything before it is acknowledged; what is behind it is what a failed write left.
    private long end;

    /// Whether the file's name may not outlive a power cut yet.
    private boolean nameUnsure = true;

    JournalFile(Path path, FileChannel channel, long end) {
        this.path = path;
        this.channel = channel;
        this.end = end;
    }

    /// @param found gets the payloads of the records that are there, in order
    static JournalFile open(Path path, List<byte[]> found) throws IOException {
        var end = Files.exists(path) ? read(path, found) : 0;
        if (Files.exists(path) && isDamaged(path, end)) {
            putAway(path, end);
            found.clear();
            end = 0;
        }
        var channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.size() > end) keepAside(path, channel, end);
        channel.force(true);
        return new JournalFile(path, channel, end);
    }

    /// Reads whole records into `found` and answers where the last whole one ends.
    private static long read(Path path, List<byte[]> found) throws IOException {
        var size = Files.size(path);
        var end = 0L;
        try (var in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16))) {
            while (size - end >= HEADER) {
                var length = in.readInt();
                var sum = in.readInt();
                if (length <= 0 || length > LARGEST_RECORD || length > size - end - HEADER) break;
                var payload = in.readNBytes(length);
                if (checksum(ByteBuffer.wrap(payload)) != sum) break;
                found.add(payload[0] == MARK ? Arrays.copyOfRange(payload, 1, length) : payload);
                end += (long) HEADER + length;
            }
        }
        return end;
    }

    /// What a crash tears was not on the disk when anything behind it was begun. So where such a
    /// record follows, what was acknowledged has changed since: to go on before it would do again
    /// what is done.
    private static boolean isDamaged(Path path, long end) throws IOException {
        try (var channel = FileChannel.open(path, StandardOpenOption.READ)) {
            var length = Math.min(channel.size() - end, Integer.MAX_VALUE);
            var rest = channel.map(FileChannel.MapMode.READ_ONLY, end, length);
            // Its length may be what has changed: the next record is looked for everywhere.
            for (var at = 0; at < length - HEADER; at++)
                if (rest.get(at + HEADER) == MARK && isRecord(rest, at)) return true;
            return false;
        }
    }

    private static boolean isRecord(ByteBuffer in, int at) {
        var length = in.getInt(at);
        if (length <= 0 || length > in.limit() - at - HEADER) return false;
        return checksum(in.slice(at + HEADER, length)) == in.getInt(at + Integer.BYTES);
    }

    private static void putAway(Path path, long end) throws IOException {
        var aside = path.resolveSibling("journal.damaged");
        Files.move(path, aside, StandardCopyOption.ATOMIC_MOVE);
        log.error(
                "journal: it was changed behind its byte {} after it had been written, and is kept as {}."
                        + " The agent begins an empty one and goes on with what the control plane knows. Look after the disk.",
                end,
                aside);
    }

    /// A torn tail is what a crash leaves; it was never acknowledged. It is kept beside the journal
    /// all the same, if there is room: a full disk does not keep the agent from its start.
    private static void keepAside(Path path, FileChannel channel, long end) throws IOException {
        var torn = channel.size() - end;
        var aside = path.resolveSibling("journal.torn");
        var kept = "they are kept in " + aside;
        try (var in = FileChannel.open(path, StandardOpenOption.READ);
                var out =
                        FileChannel.open(
                                aside,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.TRUNCATE_EXISTING)) {
            in.transferTo(end, torn, out);
        } catch (IOException e) {
            kept = "they could not be kept: " + e;
        }
        channel.truncate(end);
        log.warn("journal: the last {} bytes were not written whole (a crash); {}", torn, kept);
    }

    Path path() {
        return path;
    }

    /// Returns when all payloads are on the disk, each as one record.
    void append(List<byte[]> payloads) throws IOException {
        // Also after a failed fsync: the system may have dropped what it could not write, so all of
        // it is written anew.
        if (channel.size() > end) channel.truncate(end);
        channel.position(end);
        var isFirst = true;
        for (var payload : payloads) {
            writeFully(channel, record(payload, isFirst));
            isFirst = false;
        }
        channel.force(false);
        if (nameUnsure) syncDirectory(path.toAbsolutePath().getParent());
        nameUnsure = false;
        end = channel.position();
    }

    /// The payloads, each as one record, take the place of everything; a failure changes nothing.
    void replace(List<byte[]> payloads) throws IOException {
        var fresh = path.resolveSibling("journal.new");
        var out =
                FileChannel.open(
                        fresh,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        try {
            // It has its name only when all of it is there.
            for (var payload : payloads) writeFully(out, record(payload, true));
            out.force(true);
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            out.close();
            Files.deleteIfExists(fresh);
            throw e;
        }
        var old = channel;
        // From here on whatever fails must not send an append to the file that is gone.
        channel = out;
        end = out.position();
        nameUnsure = true;
        closeOld(old);
        append(List.of());
    }

    /// Nothing of it is needed any more.
    private void closeOld(FileChannel old) {
        try {
            old.close();
        } catch (IOException e) {
            log.info("journal: what {} was before is not closed in order", path, e);
        }
    }

    private static void writeFully(FileChannel to, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) to.write(buffer);
    }

    private static ByteBuffer record(byte[] payload, boolean isMarked) {
        var length = payload.length + (isMarked ? 1 : 0);
        var record = ByteBuffer.allocate(HEADER + length).putInt(length).putInt(0);
        if (isMarked) record.put(MARK);
        record.put(payload).putInt(Integer.BYTES, checksum(record.slice(HEADER, length)));
        return record.flip();
    }

    private static int checksum(ByteBuffer payload) {
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

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
