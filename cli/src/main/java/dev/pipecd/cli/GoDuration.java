// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads lengths of time as the public command line writes them: `15s`, `1h30m`, `1.5s`, `300ms`.
final class GoDuration implements ITypeConverter<Duration> {
    private static final Pattern PART = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");

    @Override
    public Duration convert(String text) {
        var parts = PART.matcher(text);
        var total = Duration.ZERO;
        var end = 0;
        while (parts.find() && parts.start() == end) {
            var millis =
                    new BigDecimal(parts.group(1))
                            .multiply(BigDecimal.valueOf(millisOf(parts.group(2))));
            total = total.plusMillis(millis.longValue());
            end = parts.end();
        }
        if (end != text.length() || !total.isPositive())
            throw new TypeConversionException(
                    "'" + text + "' is not a length of time such as 15s, 5m or 1h30m");
        return total;
    }

    private static long millisOf(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            default -> 3_600_000;
        };
    }
}
