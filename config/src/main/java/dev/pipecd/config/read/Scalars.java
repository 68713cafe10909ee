// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// What a plain YAML scalar means. The same as in the public system, which reads YAML 1.1: `y` and
/// `on` are true, 010 is eight, 12:30 and dates are text.
final class Scalars {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> TRUE =
            Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    private static final Set<String> FALSE =
            Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Set<String> NOT_FINITE = Set.of(".inf", "+.inf", "-.inf", ".nan");
    private static final Pattern INTEGER =
            Pattern.compile(
                    "([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))");
    private static final Pattern FLOAT =
            Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
    private static final int LONGEST_NUMBER = 400;
    private static final BigInteger MOST = BigInteger.TWO.pow(64);
    private static final BigInteger LEAST = BigInteger.TWO.pow(63).negate();

    private Scalars() {}

    /// Empty for a number that JSON cannot hold.
    static Optional<JsonNode> plain(String text) {
        if (NULL.contains(text)) return Optional.of(JSON.nullNode());
        if (TRUE.contains(text)) return Optional.of(JSON.booleanNode(true));
        if (FALSE.contains(text)) return Optional.of(JSON.booleanNode(false));
        if (NOT_FINITE.contains(text.toLowerCase(Locale.ROOT))) return Optional.empty();
        return Optional.of(
                text.length() > LONGEST_NUMBER ? JSON.textNode(text) : numberOrText(text));
    }

    private static JsonNode numberOrText(String text) {
        if (text.startsWith("_")) return JSON.textNode(text);
        var bare = text.replace("_", "");
        var integer = INTEGER.matcher(bare);
        if (integer.matches()) {
            var number =
                    integer(
                            integer.group(1),
                            integer.group(2),
                            integer.group(3),
                            integer.group(4),
                            integer.group(5));
            if (number.bitLength() <= 63) return JSON.numberNode(number.longValueExact());
            if (number.compareTo(MOST) < 0 && number.compareTo(LEAST) >= 0)
                return JSON.numberNode(number);
        }
        if (FLOAT.matcher(bare).matches()) {
            var number = Double.parseDouble(bare);
            if (Double.isFinite(number)) return JSON.numberNode(number);
        }
        return JSON.textNode(text);
    }

    private static BigInteger integer(
            String sign, String hex, String binary, String octal, String decimal) {
        var size =
                hex != null
                        ? new BigInteger(hex, 16)
                        : binary != null
                                ? new BigInteger(binary, 2)
                                : octal != null
                                        ? new BigInteger(octal, 8)
                                        : new BigInteger(decimal);
        return sign.equals("-") ? size.negate() : size;
    }
}
