// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import com.google.re2j.Pattern;
import java.math.BigDecimal;

/// Which texts are numbers to those who read a file without quotes around them.
final class Numeral {
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,19}");
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,20}\\.[0-9]{1,20}");

    /// What other readers of YAML take for a number beside the one that reads it here: `12e4567`
    /// may be the beginning of a commit's hash.
    private static final Pattern ELSEWHERE =
            Pattern.compile(
                    "[-+]?(\\.[0-9_]+|[0-9][0-9_]*(\\.[0-9_]*)?)([eE][-+]?[0-9_]+)?|[-+]?0[oO][0-7_]+");

    private Numeral() {}

    static boolean isNumberElsewhere(String text) {
        return ELSEWHERE.matches(text);
    }

    /// Whether the number that is read is written like this again: `1.10` would come back as `1.1`,
    /// and `012` as `10`.
    static boolean comesBack(String text) {
        if (WHOLE.matches(text)) return isWhole(text);
        return DECIMAL.matches(text) && decimal(text).equals(text);
    }

    private static boolean isWhole(String text) {
        try {
            return Long.toString(Long.parseLong(text)).equals(text);
        } catch (NumberFormatException tooLarge) {
            return false;
        }
    }

    private static String decimal(String text) {
        return BigDecimal.valueOf(Double.parseDouble(text)).stripTrailingZeros().toPlainString();
    }
}
