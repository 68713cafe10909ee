// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;

/// Makes guessing passwords slow: per address, and per account from one address, each wrong attempt
/// beyond a few makes the next wait longer.
///
/// Nobody can be locked out by others: an address that did not guess before always has a first try,
/// even on an account under attack, and a browser of [Devices] counts as an address of its own,
/// until such browsers guess. So does whom a proxy names that nobody told us to believe: behind it
/// all have one address, and one of them must not hold up the others. Such names may be made up,
/// and those of one proxy have few attempts together. All counts fade with time.
public final class LoginLimits {
    private static final Rule ADDRESS = new Rule(20, Duration.ofSeconds(3), Duration.ofMinutes(1));
    private static final Rule PAIR = new Rule(5, Duration.ofMinutes(1), Duration.ofMinutes(5));
    private static final Rule PAIR_UNDER_ATTACK =
            new Rule(1, Duration.ofMinutes(1), Duration.ofMinutes(5));
    private static final Rule NAMED = new Rule(20, Duration.ofSeconds(10), Duration.ofSeconds(10));
    private static final Rule NAMING = new Rule(60, Duration.ofSeconds(1), Duration.ofSeconds(1));
    private static final int MOST_ON_DEVICES = 20;
    private static final Duration DEVICES_FADE = Duration.ofMinutes(1);
    private static final Duration ACCOUNT_FADES = Duration.ofSeconds(10);
    private static final int ATTACK = 50;
    private static final int MOST_REMEMBERED = 10_000;

    private final InstantSource clock;
    private final LinkedHashMap<String, Count> addresses = remembering();
    private final LinkedHashMap<String, Count> accounts = remembering();
    private final LinkedHashMap<String, Count> pairs = remembering();
    private final LinkedHashMap<String, Count> devices = remembering();
    private final LinkedHashMap<String, Count> named = remembering();
    private final LinkedHashMap<String, Count> naming = remembering();

    public LoginLimits(InstantSource clock) {
        this.clock = clock;
    }

    /// How long this attempt has to wait; zero when it may go on. It is then counted before the
    /// password is looked at, so that guesses made at the same time cannot slip through.
    ///
    /// @param client whom the proxy at that address names, if it is not believed; or empty
    public synchronized Duration charge(String address, String client, String account) {
        var now = clock.instant();
        var source = source(address, client);
        var attacked = level(accounts, account, ACCOUNT_FADES, now) >= ATTACK;
        var rule = attacked ? PAIR_UNDER_ATTACK : PAIR;
        var pair = pair(source, account);
        var wait = longer(wait(addresses, source, ADDRESS, now), wait(pairs, pair, rule, now));
        if (!client.isEmpty()) {
            wait = longer(wait, wait(named, pair(address, account), NAMED, now));
            // Whoever makes clients up could try all accounts, and keep us comparing passwords.
            wait = longer(wait, wait(naming, address, NAMING, now));
        }
        if (wait.isPositive()) return wait;
        count(addresses, source, ADDRESS.fades(), now);
        count(accounts, account, ACCOUNT_FADES, now);
        count(pairs, pair, rule.fades(), now);
        if (!client.isEmpty()) {
            count(named, pair(address, account), NAMED.fades(), now);
            count(naming, address, NAMING.fades(), now);
        }
        return Duration.ZERO;
    }

    /// Whether a browser that was let in before has attempts of its own, of which this is one. Who
    /// once knew the password may have kept many such browsers: too many wrong attempts of all of
    /// them together, and each counts by its address.
    public synchronized boolean chargeDevice(String account) {
        var now = clock.instant();
        if (level(devices, account, DEVICES_FADE, now) >= MOST_ON_DEVICES) return false;
        count(devices, account, DEVICES_FADE, now);
        return true;
    }

    /// The password was right, or not looked at.
    public synchronized void forgiveDevice(String account) {
        lower(devices, account);
    }

    /// The password was right: the attempt does not count.
    public synchronized void forgive(String address, String client, String account) {
        var source = source(address, client);
        pairs.remove(pair(source, account));
        lower(addresses, source);
        lower(accounts, account);
        if (client.isEmpty()) return;
        lower(named, pair(address, account));
        lower(naming, address);
    }

    private static void lower(LinkedHashMap<String, Count> counts, String name) {
        counts.computeIfPresent(name, (_, c) -> new Count(Math.max(0, c.level() - 1), c.last()));
    }

    private static Duration wait(
            LinkedHashMap<String, Count> counts, String name, Rule rule, Instant now) {
        var count = counts.get(name);
        if (count == null) return Duration.ZERO;
        var level = count.at(now, rule.fades());
        if (level < rule.free()) return Duration.ZERO;
        var doublings = (int) Math.min(20, level - rule.free());
        var delay = shorter(Duration.ofSeconds(1L << doublings), rule.longestDelay());
        return Duration.between(now, count.last().plus(delay));
    }

    private static double level(
            LinkedHashMap<String, Count> counts, String name, Duration fades, Instant now) {
        var count = counts.get(name);
        return count == null ? 0 : count.at(now, fades);
    }

    private static void count(
            LinkedHashMap<String, Count> counts, String name, Duration fades, Instant now) {
        counts.put(name, new Count(level(counts, name, fades, now) + 1, now));
        if (counts.size() > MOST_REMEMBERED) counts.pollFirstEntry();
    }

    private static LinkedHashMap<String, Count> remembering() {
        return new LinkedHashMap<>(16, 0.75f, true);
    }

    private static String source(String address, String client) {
        return client.isEmpty() ? address : address + " for " + client;
    }

    private static String pair(String source, String account) {
        return source + " " + account;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /// @param free attempts before the first wait
    /// @param fades the time in which one attempt is forgotten
    private record Rule(int free, Duration fades, Duration longestDelay) {}

    private record Count(double level, Instant last) {
        double at(Instant now, Duration fades) {
            var passed = Math.max(0, Duration.between(last, now).toMillis());
            return Math.max(0, level - (double) passed / fades.toMillis());
        }
    }
}
