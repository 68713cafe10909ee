// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// A part of a list and where it goes on; the cursor is empty when nothing was found.
public record Page<T>(List<T> items, String cursor) {
    private static final int ORDINARY = 50;
    private static final int LARGEST = 500;

    /// Clients take 4 MiB at once.
    private static final long MOST_BYTES = 3_500_000;

    /// What stands around each in an answer.
    private static final int AROUND = 8;

    public Page {
        items = List.copyOf(items);
    }

    /// What was found, going on behind the last of it.
    public static <T> Page<T> of(List<T> found, Function<T, Cursor> place) {
        return new Page<>(found, found.isEmpty() ? "" : place.apply(found.getLast()).text());
    }

    /// As many as are asked for, read some at a time: a caller may look for no further page. Of
    /// more than a page of a usual size only as many as fit into one answer, at least one.
    public static <T extends MessageLite> Page<T> read(
            int asked, Cursor after, Function<T, Cursor> place, Reading<T> reading) {
        var found = new ArrayList<T>();
        var bytes = 0L;
        var behind = after;
        while (found.size() < asked) {
            var wanted = Math.min(asked - found.size(), LARGEST);
            var some = reading.some(behind, wanted);
            for (var one : some) {
                bytes += one.getSerializedSize() + AROUND;
                if (asked > LARGEST && bytes > MOST_BYTES && !found.isEmpty())
                    return of(found, place);
                found.add(one);
            }
            if (some.size() < wanted) break;
            behind = place.apply(some.getLast());
        }
        return of(found, place);
    }

    /// How many are shown where 0 leaves it to us.
    public static int asked(int size) {
        return size <= 0 ? ORDINARY : size;
    }

    /// How many are shown when `asked` are asked for; 0 leaves it to us.
    public static int limit(int asked) {
        return Math.min(asked(asked), LARGEST);
    }

    /// What a store has behind a place, so many of them at most.
    public interface Reading<T> {
        List<T> some(Cursor behind, int limit);
    }
}
