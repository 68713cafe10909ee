// SPDX-License-Identifier: Apache-2.0
package bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Gathers figures and prints them as one table, each with its goal, the public value and the ratio of the two.
final class Report {
    static final double NOT_MEASURED = Double.NaN;

    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();

    Report(PrintStream out) {
        this.out = out;
    }

    private record Row(String figure, String ours, String goal, String theirs, String ratio) {}

    /// Less is better; a ratio of 10 means that ours takes a tenth.
    void time(String figure, double[] millis, String goal, double publicMillis) {
        var sorted = millis.clone();
        Arrays.sort(sorted);
        var range = " (%s to %s, %d rounds)".formatted(shown(sorted[0]), shown(sorted[sorted.length - 1]), sorted.length);
        var ours = shown(at(sorted, 0.5)) + (sorted.length > 1 ? range : "");
        rows.add(new Row(figure, ours, goal, shown(publicMillis), ratio(publicMillis / at(sorted, 0.5))));
        progress(figure, ours);
    }

    /// Less is better.
    void memory(String figure, long kilobytes, String goal, double publicMegabytes) {
        var ours = kilobytes / 1024.0;
        var theirs = Double.isNaN(publicMegabytes) ? "" : "%,.0f MB".formatted(publicMegabytes);
        rows.add(new Row(figure, "%.0f MB".formatted(ours), goal, theirs, ratio(publicMegabytes / ours)));
        progress(figure, "%.0f MB".formatted(ours));
    }

    /// More is better.
    void rate(String figure, double perSecond, String goal, double publicPerSecond) {
        var theirs = Double.isNaN(publicPerSecond) ? "" : "%,.0f/s".formatted(publicPerSecond);
        rows.add(new Row(figure, "%,.0f/s".formatted(perSecond), goal, theirs, ratio(perSecond / publicPerSecond)));
        progress(figure, "%,.0f/s".formatted(perSecond));
    }

    /// What fits no other form.
    void row(String figure, String ours, String goal, String theirs, String ratio) {
        rows.add(new Row(figure, ours, goal, theirs, ratio));
        progress(figure, ours + (ratio.isEmpty() ? "" : " (" + ratio + ")"));
    }

    void print() {
        out.println();
        out.println("| Figure | Ours: median (least to most) | Goal | Public system | Better by |");
        out.println("|---|---|---|---|---|");
        for (var row : rows) {
            out.println("| %s | %s | %s | %s | %s |".formatted(row.figure(), row.ours(), row.goal(), row.theirs(), row.ratio()));
        }
        out.println();
        out.println("Public values were measured on another machine of two cores, and the `pipectl` figure is of `version`:");
        out.println("read the ratios as orders of magnitude.");
    }

    static double at(double[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1, Math.round(share * (sorted.length - 1)))];
    }

    private void progress(String figure, String ours) {
        out.println("==> " + figure + ": " + ours);
    }

    private static String ratio(double ratio) {
        if (Double.isNaN(ratio)) return "";
        return ratio >= 10 ? "%,.0f×".formatted(ratio) : String.format(Locale.ROOT, "%.2f×", ratio);
    }

    private static String shown(double millis) {
        if (Double.isNaN(millis)) return "";
        return millis < 1000 ? "%.0f ms".formatted(millis) : String.format(Locale.ROOT, "%.1f s", millis / 1000);
    }
}
