// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.domain.ProjectId;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Makes and checks the state of a login that is under way: a signed text in the public form, tied
/// to the browser by a cookie and to its project by the signature. Nothing is kept for it here, so
/// that the trip may end at another server than it began.
public final class States {
    public static final Duration LIFE = Duration.ofMinutes(30);
    private static final int LONGEST = 1_000;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final SecretKeySpec key;
    private final InstantSource clock;

    /// @param key of the configuration; may be empty
    /// @param fallback what signs when there is none
    public States(String key, byte[] fallback, InstantSource clock) {
        this.key = new SecretKeySpec(key.isEmpty() ? fallback : key.getBytes(UTF_8), "HmacSHA256");
        this.clock = clock;
    }

    String open(ProjectId project) {
        var random = new byte[16];
        RANDOM.nextBytes(random);
        var stamp = clock.instant().toEpochMilli() + ":" + BASE64.encodeToString(random);
        return hex(signed("state " + project.value() + " " + stamp) + ":" + stamp);
    }

    boolean isGood(String state, ProjectId project) {
        if (state.length() > LONGEST) return false;
        try {
            var parts = new String(HexFormat.of().parseHex(state), UTF_8).split(":", -1);
            if (parts.length != 3) return false;
            var expected = signed("state " + project.value() + " " + parts[1] + ":" + parts[2]);
            if (!MessageDigest.isEqual(expected.getBytes(UTF_8), parts[0].getBytes(UTF_8)))
                return false;
            var opened = Instant.ofEpochMilli(Long.parseLong(parts[1]));
            return clock.instant().isBefore(opened.plus(LIFE));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    Round round(String state, String redirectUri) {
        return new Round(state, redirectUri, signed("nonce " + state), signed("verifier " + state));
    }

    static String challenge(String verifier) {
        try {
            return BASE64.encodeToString(
                    MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("SHA-256 is missing from this JDK", e);
        }
    }

    private String signed(String text) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return BASE64.encodeToString(mac.doFinal(text.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-256 is missing from this JDK", e);
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(UTF_8));
    }
}
