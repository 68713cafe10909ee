// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.show.Terminal;
import java.time.Duration;
import java.time.Instant;

/// How often one looks and how long in all: quickly at first and after each change, then slower up
/// to the interval asked for.
public final class Patience {
    private static final Duration FIRST = Duration.ofMillis(200);

    private final Terminal terminal;
    private final Duration interval;
    private final Instant end;
    private Duration next;

    public Patience(Terminal terminal, Duration interval, Duration limit) {
        this.terminal = terminal;
        this.interval = interval;
        this.end = terminal.time().instant().plus(limit);
        this.next = shorter(FIRST, interval);
    }

    public void somethingChanged() {
        next = shorter(FIRST, interval);
    }

    public boolean isUp() {
        return !left().isPositive();
    }

    /// False once the time is up.
    public boolean pause() throws InterruptedException {
        if (isUp()) return false;
        terminal.sleeper().sleep(shorter(next, left()));
        next = shorter(next.multipliedBy(3).dividedBy(2), interval);
        return true;
    }

    private Duration left() {
        return Duration.between(terminal.time().instant(), end);
    }

    public static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
