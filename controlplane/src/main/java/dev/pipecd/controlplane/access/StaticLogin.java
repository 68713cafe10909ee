// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/// Lets a project's static administrator in by name and password.
public final class StaticLogin {
    /// Compared with when there is nobody to compare with, so that the answer takes as long.
    private static final String NOBODY =
            "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

    private static final int LONGEST_PASSWORD = 72;

    private final Accounts accounts;
    private final Sessions sessions;
    private final LoginLimits limits;
    private final Devices devices;
    private final LongAdder wrong = new LongAdder();
    private final LongAdder limited = new LongAdder();
    // A password costs a twentieth of a second of a core: guessing must not take all cores.
    private final Semaphore comparing =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), true);

    public StaticLogin(Accounts accounts, Sessions sessions, LoginLimits limits, Devices devices) {
        this.accounts = accounts;
        this.sessions = sessions;
        this.limits = limits;
        this.devices = devices;
    }

    public Answer login(String project, String username, String password, From from)
            throws InterruptedException {
        var account = project.length() + ":" + project + "/" + username;
        var known = devices.known(from.device(), account);
        var own = known.isPresent() && limits.chargeDevice(account);
        var counted = own ? "device " + known.orElseThrow() : from.address();
        var client = own ? "" : from.client();
        var wait = limits.charge(counted, client, account);
        if (wait.isPositive()) {
            if (own) limits.forgiveDevice(account);
            limited.increment();
            return new Answer.TooManyAttempts(wait);
        }
        if (!matches(project, username, password)) {
            wrong.increment();
            return new Answer.Refused();
        }
        if (own) limits.forgiveDevice(account);
        limits.forgive(counted, client, account);
        var person =
                new Caller.Person(
                        new ProjectId(project), username, Set.of(BuiltInRole.ADMIN.roleName()));
        return new Answer.LoggedIn(
                sessions.open(person), known.isPresent() ? from.device() : devices.named(account));
    }

    /// How many were not let in, by why.
    public Map<String, Long> refusals() {
        return Map.of("wrong", wrong.sum(), "limited", limited.sum());
    }

    private boolean matches(String project, String username, String password)
            throws InterruptedException {
        var admin =
                project.isBlank()
                        ? null
                        : accounts.staticAdmin(new ProjectId(project))
                                .filter(a -> a.username().equals(username))
                                .orElse(null);
        var bytes = password.getBytes(UTF_8);
        var usable = bytes.length > 0 && bytes.length <= LONGEST_PASSWORD;
        comparing.acquire();
        try {
            var same =
                    BCrypt.verifyer()
                            .verify(
                                    usable ? bytes : new byte[] {'-'},
                                    (admin == null ? NOBODY : admin.passwordHash()).getBytes(UTF_8))
                            .verified;
            return same && usable && admin != null;
        } finally {
            comparing.release();
        }
    }

    /// Where an attempt comes from.
    ///
    /// @param client whom a proxy at that address names, if it is not believed; or empty
    /// @param device the cookie of a browser that was let in before, or empty
    public record From(String address, String client, String device) {
        @Override
        public String toString() {
            return "From[" + address + "]";
        }
    }

    /// What comes of an attempt; refusals look alike whatever was wrong.
    public sealed interface Answer {
        /// @param device for the browser to keep, beyond the session
        record LoggedIn(String token, String device) implements Answer {
            @Override
            public String toString() {
                return "LoggedIn";
            }
        }

        record Refused() implements Answer {}

        record TooManyAttempts(Duration tryAgainIn) implements Answer {}
    }
}
