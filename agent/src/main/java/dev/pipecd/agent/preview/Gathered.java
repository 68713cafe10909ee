// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What was found out of each application so far. However many there are and however much plugins
/// tell of them, no more of it is kept than about what one answer carries; what the answer is cut
/// to in the end stays the same.
final class Gathered {
    /// The least that a plugin's result takes in the answer beside what it says.
    private static final int AROUND = 30;

    private final SortedMap<Integer, ApplicationPlanPreviewResult> results = new TreeMap<>();
    private int count;

    /// What plugins told, and all else.
    private long told;

    private long beside;

    /// Nothing that is longer is kept whole.
    private int longest = Integer.MAX_VALUE;

    /// @param place of the application among all
    synchronized void add(int place, ApplicationPlanPreviewResult result) {
        count++;
        var size = size(result);
        beside += result.getSerializedSize() - size + AROUND * result.getPluginPlanResultsCount();
        // They are too many for any answer: none of them will be told.
        if (beside > Brevity.MOST) results.clear();
        if (beside > Brevity.MOST) return;
        var brief = size > longest ? shortened(result) : result;
        results.put(place, brief);
        told += size(brief);
        if (told > 2L * Brevity.MOST) shorten();
    }

    /// In the order of their places; a `Problem` when they are too many.
    synchronized List<ApplicationPlanPreviewResult> all() {
        if (beside > Brevity.MOST) throw Brevity.tooMany(count);
        if (told > Brevity.MOST) shorten();
        return List.copyOf(results.values());
    }

    /// How much of what plugins told is kept.
    synchronized long told() {
        return told;
    }

    private void shorten() {
        var sizes = results.values().stream().flatMapToInt(Brevity::sizes).sorted().toArray();
        longest = Brevity.fitting(sizes, Brevity.MOST) + 1;
        results.replaceAll((_, result) -> shortened(result));
        told = results.values().stream().mapToLong(Gathered::size).sum();
    }

    private static long size(ApplicationPlanPreviewResult result) {
        return Brevity.sizes(result).asLongStream().sum();
    }

    private ApplicationPlanPreviewResult shortened(ApplicationPlanPreviewResult result) {
        var brief = result.toBuilder();
        Brevity.each(brief, text -> text.size() <= longest ? text : beginning(text));
        return brief.build();
    }

    /// A byte more than will be left, so that the answer is seen to be cut. A part of a text holds
    /// on to all of it.
    private ByteString beginning(ByteString text) {
        return ByteString.copyFrom(text.substring(0, longest).toByteArray());
    }
}
