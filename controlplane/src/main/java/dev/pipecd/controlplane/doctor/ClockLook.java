// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Whether this machine's clock agrees with the others': sessions and leases count in seconds, and
/// a bucket refuses who is minutes off.
public record ClockLook(List<Source> sources) implements Check.Look {
    private static final Duration NOTICED = Duration.ofSeconds(3);
    private static final Duration HARMFUL = Duration.ofMinutes(1);

    public ClockLook {
        sources = List.copyOf(sources);
    }

    @Override
    public Finding now() {
        var told = new ArrayList<String>();
        var worst = Duration.ZERO;
        for (var source : sources) {
            var ahead = ahead(source);
            if (ahead.isEmpty()) continue;
            told.add(worded(ahead.get()) + " the " + source.name() + "'s clock");
            if (ahead.get().abs().compareTo(worst) > 0) worst = ahead.get().abs();
        }
        if (told.isEmpty()) return Finding.skipped("no other clock to compare with");
        var found = "this machine's clock is " + String.join(", ", told);
        if (worst.compareTo(NOTICED) < 0) return Finding.ok(found);
        var advice = "Let all machines keep time by NTP (timedatectl, chronyc tracking).";
        return worst.compareTo(HARMFUL) < 0
                ? Finding.warning(found, advice)
                : Finding.failed(found, advice);
    }

    /// Who does not answer is told of by another check.
    private static Optional<Duration> ahead(Source source) {
        try {
            return source.ahead().get();
        } catch (Problem _) {
            return Optional.empty();
        }
    }

    private static String worded(Duration theirsAhead) {
        var seconds = Math.round(theirsAhead.toMillis() / 1000.0);
        if (seconds == 0) return "with";
        return "%d s %s".formatted(Math.abs(seconds), seconds > 0 ? "behind" : "ahead of");
    }

    /// @param ahead by how much its clock is ahead of ours; empty when it tells none
    public record Source(String name, Supplier<Optional<Duration>> ahead) {}
}
