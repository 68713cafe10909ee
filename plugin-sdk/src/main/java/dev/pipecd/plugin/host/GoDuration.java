// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Lengths of time as Go writes them: `300ms`, `-1.5h`, `2h45m`.
final class GoDuration {
    private static final Pattern PART =
            Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
    private static final Map<String, Long> NANOS =
            Map.of(
                    "ns", 1L,
                    "us", 1_000L,
                    "µs", 1_000L,
                    "μs", 1_000L,
                    "ms", 1_000_000L,
                    "s", 1_000_000_000L,
                    "m", 60_000_000_000L,
                    "h", 3_600_000_000_000L);

    private GoDuration() {}

    static Optional<Duration> parse(String text) {
        var negative = text.startsWith("-");
        var rest = negative || text.startsWith("+") ? text.substring(1) : text;
        if (rest.equals("0")) return Optional.of(Duration.ZERO);
        if (rest.isEmpty() || rest.length() > 60) return Optional.empty();
        var part = PART.matcher(rest);
        var nanos = BigDecimal.ZERO;
        int end = 0;
        while (end < rest.length()) {
            if (!part.find(end) || part.start() != end) return Optional.empty();
            nanos =
                    nanos.add(
                            new BigDecimal(part.group(1))
                                    .multiply(
                                            BigDecimal.valueOf(
                                                    NANOS.getOrDefault(part.group(2), 0L))));
            end = part.end();
        }
        if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) return Optional.empty();
        return Optional.of(Duration.ofNanos(negative ? -nanos.longValue() : nanos.longValue()));
    }
}
