// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import java.util.List;
import java.util.function.Function;

/// A part of a list and where it goes on; the cursor is empty when nothing was found.
public record Page<T>(List<T> items, String cursor) {
    private static final int ORDINARY = 50;
    private static final int LARGEST = 500;

    public Page {
        items = List.copyOf(items);
    }

    /// What was found, going on behind the last of it.
    public static <T> Page<T> of(List<T> found, Function<T, Cursor> place) {
        return new Page<>(found, found.isEmpty() ? "" : place.apply(found.getLast()).text());
    }

    /// How many are shown when `asked` are asked for; 0 leaves it to us.
    public static int limit(int asked) {
        return asked <= 0 ? ORDINARY : Math.min(asked, LARGEST);
    }
}
