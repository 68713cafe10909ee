// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.wire.model.LogBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// One stage log. Its owner guards it: one caller at a time.
public final class StageLogFile {
    private static final String END = "EOL";
    private static final int MARK_EVERY_BYTES = 64 * 1024;
    private static final int LARGEST_PART_BYTES = 3 * 1024 * 1024;

    private final FileChannel channel;
    private final IndexSet indexes = new IndexSet();
    private final List<Mark> marks = new ArrayList<>();
    private long size;
    private long highest = Long.MIN_VALUE;
    private boolean ordered = true;
    private boolean completed;

    /// Opens it and learns what is in it; a line that a crash left unfinished is cut off.
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
        lines(
                0,
                channel.size(),
                (line, end) -> {
                    if (line.equals(END)) completed = true;
                    else block(line).ifPresent(block -> noted(block.getIndex()));
                    size = end;
                    mark();
                    return true;
                });
        cut();
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
        var news = new ArrayList<LogBlock>();
        var fresh = new IndexSet();
        for (var block : blocks)
            if (!indexes.contains(block.getIndex()) && fresh.add(block.getIndex())) news.add(block);
        if (completed) return news.isEmpty();
        if (news.isEmpty() && !complete) return true;
        var lines = new ByteArrayOutputStream();
        for (var block : news) lines.writeBytes(line(GoJson.write(block).toString()));
        if (complete) lines.writeBytes(line(END));
        write(lines.toByteArray());
        news.forEach(block -> noted(block.getIndex()));
        completed = complete;
        mark();
        return true;
    }

    /// Until the flush has succeeded the lines do not count, so that a repeat writes them again.
    private void write(byte[] lines) throws IOException {
        cut();
        var buffer = ByteBuffer.wrap(lines);
        var place = size;
        while (buffer.hasRemaining()) place += channel.write(buffer, place);
        channel.force(false);
        size = place;
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /// At most a few megabytes; a part that was cut says it is not completed, and its reader asks
    /// again behind the last index.
    Part read(long from) throws IOException {
        var found = new ArrayList<LogBlock>();
        var bytes = new long[1];
        lines(
                skippedTo(from),
                size,
                (line, _) -> {
                    block(line)
                            .filter(block -> block.getIndex() >= from)
                            .ifPresent(block -> {
                                found.add(block);
                                bytes[0] += block.getSerializedSize();
                            });
                    return !ordered || bytes[0] <= LARGEST_PART_BYTES;
                });
        found.sort(Comparator.comparingLong(LogBlock::getIndex));
        return part(found);
    }

    private long skippedTo(long from) {
        return marks.stream()
                .filter(m -> m.highestBefore() < from)
                .mapToLong(Mark::place)
                .max()
                .orElse(0);
    }

    private Part part(List<LogBlock> found) {
        var bytes = 0L;
        for (var i = 0; i < found.size(); i++) {
            bytes += found.get(i).getSerializedSize();
            if (bytes > LARGEST_PART_BYTES && i > 0) return new Part(found.subList(0, i), false);
        }
        var whole = found.isEmpty() || found.getLast().getIndex() == highest;
        return new Part(found, completed && whole);
    }

    /// Empty for the end and for a line that is not ours; one bad line must not hide the others.
    private static Optional<LogBlock> block(String line) {
        if (line.isEmpty() || line.equals(END)) return Optional.empty();
        try {
            return Optional.of(GoJson.read(LogBlock.getDefaultInstance(), GoJson.parse(line)));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private void lines(long from, long to, Lines lines) throws IOException {
        var buffer = ByteBuffer.allocate(MARK_EVERY_BYTES);
        var line = new ByteArrayOutputStream();
        var place = from;
        while (place < to && channel.read(buffer.clear(), place) > 0) {
            buffer.flip();
            while (buffer.hasRemaining() && place < to) {
                var next = buffer.get();
                place++;
                if (next != '\n') {
                    line.write(next);
                } else if (lines.next(line.toString(StandardCharsets.UTF_8), place)) {
                    line.reset();
                } else {
                    return;
                }
            }
        }
    }

    private void noted(long index) {
        indexes.add(index);
        ordered &= index > highest;
        highest = Math.max(highest, index);
    }

    private void mark() {
        var last = marks.isEmpty() ? 0 : marks.getLast().place();
        if (size - last >= MARK_EVERY_BYTES) marks.add(new Mark(size, highest));
    }

    synchronized void close() throws IOException {
        channel.close();
    }

    /// Takes complete lines until it has enough; `end` is the place behind the line.
    private interface Lines {
        boolean next(String line, long end);
    }

    /// A place in the file and the highest index before it: who wants more need not read that.
    private record Mark(long place, long highestBefore) {}

    /// What was read.
    public record Part(List<LogBlock> blocks, boolean completed) {
        public Part {
            blocks = List.copyOf(blocks);
        }
    }
}
