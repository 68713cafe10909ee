// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.connect;

import java.util.ArrayList;
import java.util.List;

/// A list that comes in pages, read until enough or all of it is there. A server gives some hundred
/// at once and no more, whatever is asked for; who asked for all would otherwise take a part for
/// it.
///
/// @param cursor where the list may go on; empty when all of it is here
public record Pages<T>(List<T> found, String cursor) {
    private static final int LARGEST = 500;

    public Pages {
        found = List.copyOf(found);
    }

    /// One call of the list.
    public interface Source<T> {
        Pages<T> page(int limit, String cursor);
    }

    /// @param limit how many are enough; 0 for all
    public static <T> Pages<T> read(int limit, String from, Source<T> source) {
        var found = new ArrayList<T>();
        var cursor = from;
        while (limit <= 0 || found.size() < limit) {
            var wanted = limit <= 0 ? LARGEST : Math.min(limit - found.size(), LARGEST);
            var page = source.page(wanted, cursor);
            found.addAll(page.found());
            // a cursor that does not move would be followed for ever
            if (page.found().isEmpty() || page.cursor().isEmpty() || page.cursor().equals(cursor))
                return new Pages<>(found, "");
            cursor = page.cursor();
        }
        return new Pages<>(found, cursor);
    }
}
