// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Knows browsers an account was opened with before, by a cookie that opens nothing: they have
/// attempts of their own, whoever else guesses from the same address.
public final class Devices {
    public static final Duration LIFE = Duration.ofDays(180);
    private static final int LONGEST = 128;

    private final SecretKeySpec key;

    public Devices(byte[] key) {
        this.key = new SecretKeySpec(key, "HmacSHA256");
    }

    /// What a browser keeps after the right password.
    String named(String account) {
        var id = RandomText.of(16);
        return id + "." + signature(id, account);
    }

    /// Its name, if it was given for that account.
    Optional<String> known(String cookie, String account) {
        var dot = cookie.indexOf('.');
        if (dot <= 0 || cookie.length() > LONGEST) return Optional.empty();
        var id = cookie.substring(0, dot);
        var same =
                MessageDigest.isEqual(
                        signature(id, account).getBytes(UTF_8),
                        cookie.substring(dot + 1).getBytes(UTF_8));
        return same ? Optional.of(id) : Optional.empty();
    }

    private String signature(String id, String account) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            var signed = mac.doFinal(("device " + id + " " + account).getBytes(UTF_8));
            return HexFormat.of().formatHex(signed).substring(0, 32);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 is missing from this JDK", e);
        }
    }
}
