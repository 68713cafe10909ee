// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import java.time.Instant;
import java.util.regex.Pattern;

/// Text from elsewhere made safe for a terminal: a commit message must not be able to clear the
/// screen or fake a line.
public final class Printable {
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]");
    private static final Pattern CONTROL_BUT_COLOUR =
            Pattern.compile("(\\x1b\\[[0-9;]{0,32}m)|\\t|[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]");

    private Printable() {}

    public static String text(String text) {
        return text.isEmpty()
                ? "-"
                : CONTROL.matcher(text).replaceAll(found -> escaped(found.group()));
    }

    /// A line of a stage log keeps its colours.
    public static String logLine(String line) {
        return CONTROL_BUT_COLOUR
                .matcher(line)
                .replaceAll(found ->
                        found.group(1) != null || found.group().equals("\t")
                                ? java.util.regex.Matcher.quoteReplacement(found.group())
                                : escaped(found.group()));
    }

    private static String escaped(String control) {
        return "\\\\u{%x}".formatted(control.codePointAt(0));
    }

    public static String time(long epochSecond) {
        return epochSecond == 0 ? "-" : Instant.ofEpochSecond(epochSecond).toString();
    }

    /// `DEPLOYMENT_SUCCESS` is shown as `SUCCESS`.
    public static String status(Enum<?> status) {
        return status.name().replaceFirst("^(DEPLOYMENT|STAGE|COMMAND|EVENT)_", "");
    }
}
