// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Rows under headings, each column as wide as its widest cell.
public record Table(List<String> headings, List<List<String>> rows) {
    public void print(PrintWriter out) {
        lines().forEach(out::println);
    }

    /// The headings, then a line a row.
    public List<String> lines() {
        var widths = IntStream.range(0, headings.size()).map(this::width).toArray();
        return Stream.concat(Stream.of(headings), rows.stream())
                .map(row -> line(row, widths))
                .toList();
    }

    private int width(int column) {
        return Math.max(
                length(headings.get(column)),
                rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0));
    }

    private static String line(List<String> cells, int[] widths) {
        var line = new StringBuilder();
        for (var i = 0; i < cells.size(); i++) {
            line.append(cells.get(i));
            if (i < cells.size() - 1) line.repeat(" ", widths[i] - length(cells.get(i)) + 2);
        }
        return line.toString();
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
