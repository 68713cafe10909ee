// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.controlplane.filestore.StageLogStore.Part;
import dev.pipecd.wire.model.LogBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// What is known of a log without reading it again: which blocks it has, and whether it has ended.
final class LogDigest {
    static final int LARGEST_PART_BYTES = 3 * 1024 * 1024;

    private final IndexSet indexes = new IndexSet();
    private long size;
    private long highest = Long.MIN_VALUE;
    private boolean ordered = true;
    private boolean completed;

    void note(String line) {
        if (line.equals(LogLines.END)) completed = true;
        else LogLines.block(line).ifPresent(block -> note(block.getIndex()));
    }

    void note(List<LogBlock> blocks, boolean end) {
        blocks.forEach(block -> note(block.getIndex()));
        completed |= end;
    }

    private void note(long index) {
        if (indexes.add(index)) size++;
        ordered &= index > highest;
        highest = Math.max(highest, index);
    }

    /// Those of the blocks that the log does not have, each once.
    List<LogBlock> missing(List<LogBlock> blocks) {
        var missing = new ArrayList<LogBlock>();
        var fresh = new IndexSet();
        for (var block : blocks)
            if (!indexes.contains(block.getIndex()) && fresh.add(block.getIndex()))
                missing.add(block);
        return missing;
    }

    /// How many different blocks it has.
    long size() {
        return size;
    }

    long highest() {
        return highest;
    }

    /// Whether blocks came in the order of their indexes, so that reading may stop early.
    boolean ordered() {
        return ordered;
    }

    boolean completed() {
        return completed;
    }

    /// As many of the found blocks as one answer holds.
    Part part(List<LogBlock> found) {
        found.sort(Comparator.comparingLong(LogBlock::getIndex));
        var bytes = 0L;
        for (var i = 0; i < found.size(); i++) {
            bytes += found.get(i).getSerializedSize();
            if (bytes > LARGEST_PART_BYTES && i > 0) return new Part(found.subList(0, i), false);
        }
        var whole = found.isEmpty() || found.getLast().getIndex() == highest;
        return new Part(found, completed && whole);
    }

    /// Numbers that mostly follow one another, kept as ranges: a log of a million lines costs one
    /// entry.
    private static final class IndexSet {
        private final TreeMap<Long, Long> lastByFirst = new TreeMap<>();

        boolean contains(long index) {
            var range = lastByFirst.floorEntry(index);
            return range != null && range.getValue() >= index;
        }

        /// Whether it is new.
        boolean add(long index) {
            if (contains(index)) return false;
            var first = index;
            var last = index;
            var below = lastByFirst.lowerEntry(index);
            if (below != null && below.getValue() == index - 1) first = below.getKey();
            var above = lastByFirst.get(index + 1);
            if (above != null) {
                last = above;
                lastByFirst.remove(index + 1);
            }
            lastByFirst.put(first, last);
            return true;
        }
    }
}
