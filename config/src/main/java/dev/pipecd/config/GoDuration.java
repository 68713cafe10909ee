// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Durations as Go writes them: `1h2m3.5s`, `500ms`, `0s`.
public final class GoDuration {
    private static final Pattern WHOLE =
            Pattern.compile("([+-]?)((?:(?:\\d+\\.?\\d*|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+)");
    private static final Pattern PART =
            Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final int LONGEST = 100;
    private static final Map<String, BigDecimal> NANOS =
            Map.of(
                    "ns", BigDecimal.ONE,
                    "us", BigDecimal.valueOf(1_000),
                    "µs", BigDecimal.valueOf(1_000),
                    "μs", BigDecimal.valueOf(1_000),
                    "ms", BigDecimal.valueOf(1_000_000),
                    "s", BigDecimal.valueOf(1_000_000_000),
                    "m", BigDecimal.valueOf(60_000_000_000L),
                    "h", BigDecimal.valueOf(3_600_000_000_000L));

    private GoDuration() {}

    /// Empty when the text is not a duration or more than Go can hold (about 292 years).
    public static Optional<Duration> parse(String text) {
        if (text.matches("[+-]?0")) return Optional.of(Duration.ZERO);
        if (text.length() > LONGEST) return Optional.empty();
        var whole = WHOLE.matcher(text);
        if (!whole.matches()) return Optional.empty();
        var nanos = BigInteger.ZERO;
        var part = PART.matcher(whole.group(2));
        while (part.find()) {
            nanos =
                    nanos.add(
                            new BigDecimal(part.group(1))
                                    .multiply(unit(part.group(2)))
                                    .toBigInteger());
        }
        var signed = whole.group(1).equals("-") ? nanos.negate() : nanos;
        return signed.bitLength() > 63
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(signed.longValueExact()));
    }

    private static BigDecimal unit(String name) {
        return NANOS.getOrDefault(name, BigDecimal.ONE);
    }

    public static String format(Duration duration) {
        if (duration.isZero()) return "0s";
        if (duration.isNegative()) return "-" + format(duration.negated());
        if (duration.compareTo(Duration.ofSeconds(1)) < 0)
            return lessThanASecond(duration.toNanos());
        var hours = duration.toHours();
        var minutes = duration.toMinutesPart();
        var seconds =
                decimal(
                        BigDecimal.valueOf(duration.toSecondsPart())
                                .add(BigDecimal.valueOf(duration.toNanosPart(), 9)));
        if (hours > 0) return hours + "h" + minutes + "m" + seconds + "s";
        return minutes > 0 ? minutes + "m" + seconds + "s" : seconds + "s";
    }

    private static String lessThanASecond(long nanos) {
        if (nanos < 1_000) return nanos + "ns";
        if (nanos < 1_000_000) return decimal(BigDecimal.valueOf(nanos, 3)) + "µs";
        return decimal(BigDecimal.valueOf(nanos, 6)) + "ms";
    }

    private static String decimal(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}
