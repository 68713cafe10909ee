// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.controlplane.filestore.StageLogStore.Part;
import dev.pipecd.wire.model.LogBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// One stage log on the local disk. Its owner guards it: one caller at a time.
final class StageLogFile {
    private static final int MARK_EVERY_BYTES = 64 * 1024;

    private final FileChannel channel;
    private final LogDigest digest = new LogDigest();
    private final List<Mark> marks = new ArrayList<>();
    private long size;

    /// Whether the last line lacks its newline: the public server writes none.
    private boolean unterminated;

    /// Opens it and learns what is in it; a line that a crash left unfinished does not count, and
    /// is cut off when somebody writes.
    StageLogFile(Path file) throws IOException {
        var created = !Files.exists(file);
        var folder = LocalFiles.folderOf(file);
        channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        if (created) LocalFiles.flushFolder(folder);
        var whole = channel.size();
        var rest =
                LogLines.each(
                        between(0, whole),
                        (line, end) -> {
                            digest.note(line);
                            size = end;
                            mark();
                            return true;
                        });
        if (!LogLines.counts(rest)) return;
        digest.note(rest);
        size = whole;
        unterminated = true;
    }

    /// What stands behind the last line that counts is the rest of a write that failed.
    private void cut() throws IOException {
        if (channel.size() <= size) return;
        channel.truncate(size);
        channel.force(true);
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    boolean append(List<LogBlock> blocks, boolean complete) throws IOException {
        var news = digest.missing(blocks);
        if (digest.completed()) return news.isEmpty();
        if (news.isEmpty() && !complete) return true;
        write(LogLines.bytes(news, complete));
        digest.note(news, complete);
        mark();
        return true;
    }

    /// Until the flush has succeeded the lines do not count, so that a repeat writes them again.
    private void write(byte[] lines) throws IOException {
        cut();
        var place = size;
        if (unterminated) place += channel.write(ByteBuffer.wrap(new byte[] {'\n'}), place);
        var buffer = ByteBuffer.wrap(lines);
        while (buffer.hasRemaining()) place += channel.write(buffer, place);
        channel.force(false);
        size = place;
        unterminated = false;
    }

    Part read(long from) throws IOException {
        var found = new ArrayList<LogBlock>();
        var bytes = new long[1];
        var _ =
                LogLines.all(
                        between(skippedTo(from), size),
                        (line, _) -> {
                            LogLines.block(line)
                                    .filter(block -> block.getIndex() >= from)
                                    .ifPresent(block -> {
                                        found.add(block);
                                        bytes[0] += block.getSerializedSize();
                                    });
                            return !digest.ordered() || bytes[0] <= LogDigest.LARGEST_PART_BYTES;
                        });
        return digest.part(found);
    }

    private long skippedTo(long from) {
        return marks.stream()
                .filter(m -> m.highestBefore() < from)
                .mapToLong(Mark::place)
                .max()
                .orElse(0);
    }

    private InputStream between(long begin, long end) {
        return new InputStream() {
            private long place = begin;

            @Override
            public int read() throws IOException {
                var one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                var most = (int) Math.min(length, end - place);
                if (most <= 0) return -1;
                var count = channel.read(ByteBuffer.wrap(into, offset, most), place);
                if (count > 0) place += count;
                return count;
            }
        };
    }

    private void mark() {
        var last = marks.isEmpty() ? 0 : marks.getLast().place();
        if (size - last >= MARK_EVERY_BYTES) marks.add(new Mark(size, digest.highest()));
    }

    synchronized void close() throws IOException {
        channel.close();
    }

    /// A place in the file and the highest index before it: who wants more need not read that.
    private record Mark(long place, long highestBefore) {}
}
