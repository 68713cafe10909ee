// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.domain.ProjectId;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Lets the owner of the whole installation in, by the name and password of the configuration.
/// Everything is signed with a key made of the password's hash: another password ends all sessions,
/// and any number of processes agree without being told a key.
public final class OwnerLogin {
    /// Where the trail keeps what concerns no project; no project can have this id.
    public static final ProjectId PLACE = new ProjectId("ops owner");

    private final byte[] key;
    private final Sessions sessions;
    private final StaticLogin login;

    public OwnerLogin(Accounts.StaticAdmin owner, SessionStore store, InstantSource clock) {
        this.key = digest("pipecd ops " + owner.username() + " " + owner.passwordHash());
        Accounts accounts = place -> place.equals(PLACE) ? Optional.of(owner) : Optional.empty();
        this.sessions = new Sessions(key, accounts, store, clock);
        this.login = new StaticLogin(accounts, sessions, new LoginLimits(clock), new Devices(key));
    }

    public static Duration life() {
        return Sessions.LIFE;
    }

    public StaticLogin.Answer login(String username, String password, StaticLogin.From from)
            throws InterruptedException {
        return login.login(PLACE.value(), username, password, from);
    }

    public Optional<Visit> visit(String token) {
        return sessions.find(token).map(session -> new Visit(session.person(), token, form(token)));
    }

    /// From now on the token opens nothing.
    public void end(String token) {
        sessions.end(token);
    }

    /// Another site can make a browser send a form, but cannot know this.
    private String form(String token) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(("form " + token).getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 is missing from this JDK", e);
        }
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("SHA-256 is missing from this JDK", e);
        }
    }

    /// @param formToken what every form of this visit must carry
    public record Visit(Caller.Person person, String token, String formToken) {
        public boolean isOf(String given) {
            return MessageDigest.isEqual(formToken.getBytes(UTF_8), given.getBytes(UTF_8));
        }

        /// What the trail names.
        public String actor() {
            return "ops:" + person.name();
        }

        @Override
        public String toString() {
            return "Visit[" + person.name() + "]";
        }
    }
}
