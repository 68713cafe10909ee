// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Whether a presented key matches a stored bcrypt hash: computed once, then remembered by a fast
/// keyed hash. Only the match is remembered, never whether the key is still listed or enabled.
public final class KeyMatches {
    private static final int MOST_REMEMBERED = 20_000;
    private static final int LONGEST_KEY = 72; // what bcrypt looks at
    private static final int FAILURES_BEFORE_ONE_AT_A_TIME = 20;
    private static final Duration REFUSAL_LASTS = Duration.ofMinutes(1);
    private static final int MOST_WAITING = 64;
    private static final int COST = 10;

    private final byte[] secret = new byte[32];
    private final InstantSource clock;
    private final Semaphore work =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), true);
    private final Map<String, byte[]> matched = new ConcurrentHashMap<>();
    private final Map<String, Instant> refused = bounded();
    private final Map<String, Suspect> suspects = bounded();
    private final Map<String, Integer> waiting = new ConcurrentHashMap<>();

    public KeyMatches(InstantSource clock) {
        this.clock = clock;
        new SecureRandom().nextBytes(secret);
    }

    private static <V> Map<String, V> bounded() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > MOST_REMEMBERED;
            }
        };
    }

    public static String hash(String key) {
        return BCrypt.with(BCrypt.Version.VERSION_2A).hashToString(COST, key.toCharArray());
    }

    /// @param subject whose key it is said to be
    /// @param hashes the ones stored for it, newest first
    public boolean matches(String subject, List<String> hashes, String presented) {
        var bytes = presented.getBytes(StandardCharsets.UTF_8);
        if (hashes.isEmpty() || bytes.length == 0 || bytes.length > LONGEST_KEY) return false;
        var tag = tag(subject, bytes);
        return remembered(hashes, tag) || compare(subject, hashes, bytes, tag);
    }

    private boolean remembered(List<String> hashes, byte[] tag) {
        return hashes.stream()
                .map(matched::get)
                .anyMatch(known -> known != null && MessageDigest.isEqual(known, tag));
    }

    private boolean compare(String subject, List<String> hashes, byte[] key, byte[] tag) {
        var attempt = java.util.HexFormat.of().formatHex(tag) + hashes;
        if (refusedLately(attempt)) return false;
        var suspect = suspect(subject + " " + Network.of(Origin.current().address()));
        suspect.enter(clock.instant());
        try {
            if (remembered(hashes, tag)) return true; // somebody else has just done the work
            var match = compared(subject, hashes, key);
            if (match.isEmpty()) {
                refuse(attempt);
                suspect.failed(clock.instant());
                return false;
            }
            if (matched.size() >= MOST_REMEMBERED) matched.clear();
            matched.put(match.get(), tag);
            return true;
        } finally {
            suspect.leave();
        }
    }

    /// From however many networks keys come for one, they take a part of what can wait.
    private Optional<String> compared(String subject, List<String> hashes, byte[] key) {
        if (waiting.merge(subject, 1, Integer::sum) > MOST_WAITING) {
            lower(subject);
            throw tooMany();
        }
        try {
            return hashes.stream().filter(hash -> bcrypt(key, hash)).findFirst();
        } finally {
            lower(subject);
        }
    }

    private void lower(String subject) {
        waiting.computeIfPresent(subject, (_, count) -> count == 1 ? null : count - 1);
    }

    private static Problem tooMany() {
        return new Problem(
                Problem.Code.TOO_MANY_ATTEMPTS,
                "key: too many attempts at once (expected: one after the other)",
                "Try again in a second.");
    }

    /// A compare costs some 60 ms of CPU: however many wrong keys come, the rest of the server
    /// keeps its share.
    private boolean bcrypt(byte[] key, String hash) {
        work.acquireUninterruptibly();
        try {
            return BCrypt.verifyer().verify(key, hash.getBytes(StandardCharsets.UTF_8)).verified;
        } finally {
            work.release();
        }
    }

    private boolean refusedLately(String attempt) {
        synchronized (refused) {
            var at = refused.get(attempt);
            return at != null && at.plus(REFUSAL_LASTS).isAfter(clock.instant());
        }
    }

    private void refuse(String attempt) {
        synchronized (refused) {
            refused.put(attempt, clock.instant());
        }
    }

    private Suspect suspect(String subject) {
        synchronized (suspects) {
            return suspects.computeIfAbsent(subject, _ -> new Suspect(clock.instant()));
        }
    }

    private byte[] tag(String subject, byte[] key) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            mac.update(subject.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            return mac.doFinal(key);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-256 is missing from this JDK", e);
        }
    }

    /// Somebody whose keys were guessed wrongly from a network. After many failures guesses from
    /// there are taken one at a time and the rest is sent away to come back: the right key gets its
    /// turn, and once known it does not pass here any more. What others guess from elsewhere is not
    /// in its way.
    private static final class Suspect {
        private final Semaphore turn = new Semaphore(4);
        private Instant since;
        private int failures;

        Suspect(Instant now) {
            this.since = now;
        }

        void enter(Instant now) {
            synchronized (this) {
                if (since.plus(REFUSAL_LASTS).isBefore(now)) {
                    since = now;
                    failures = 0;
                }
                var free = failures < FAILURES_BEFORE_ONE_AT_A_TIME ? 1 : 4;
                if (turn.availablePermits() >= free && turn.tryAcquire()) return;
            }
            throw tooMany();
        }

        synchronized void failed(Instant now) {
            if (failures == 0) since = now;
            failures++;
        }

        void leave() {
            turn.release();
        }
    }
}
