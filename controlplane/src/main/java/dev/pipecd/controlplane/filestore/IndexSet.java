// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import java.util.TreeMap;

/// Numbers that mostly follow one another, kept as ranges: a log of a million lines costs one
/// entry.
final class IndexSet {
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
