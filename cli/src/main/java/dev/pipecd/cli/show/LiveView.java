// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;

/// A few lines at the lower edge of a terminal that are redrawn in place; what is printed meanwhile
/// scrolls above them.
public final class LiveView {
    private static final String UP_AND_CLEAR = "\u001b[%dF\u001b[J";

    /// A line longer than the terminal is wide is cut there: were it wrapped, the way back up would
    /// be too short.
    private static final String UNWRAPPED = "\u001b[?7l%s\u001b[?7h";

    /// No more than fit on the smallest usual terminal: lines that have scrolled off its upper edge
    /// cannot be redrawn.
    private static final int MOST = 22;

    private final PrintWriter to;
    private int drawn;

    public LiveView(PrintWriter to) {
        this.to = to;
    }

    public void draw(List<String> lines) {
        clear();
        var shown = fitting(lines);
        shown.forEach(line -> to.println(UNWRAPPED.formatted(line)));
        to.flush();
        drawn = shown.size();
    }

    private static List<String> fitting(List<String> lines) {
        if (lines.size() <= MOST) return lines;
        return Stream.concat(
                        lines.stream().limit(MOST - 1),
                        Stream.of("… and %d lines more".formatted(lines.size() - MOST + 1)))
                .toList();
    }

    /// Before anything else is printed.
    public void clear() {
        if (drawn > 0) to.print(UP_AND_CLEAR.formatted(drawn));
        to.flush();
        drawn = 0;
    }
}
