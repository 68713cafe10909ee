// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Knows browsers an account was opened with before, by a cookie that opens nothing: they have
/// attempts of their own, whoever else guesses from the same address.
public final class Devices {
    public static final Duration LIFE = Duration.ofDays(180);
    private static final int ID_LENGTH = 16;

    /// What is signed is the id and then the account: an id of another length would make the
    /// account of one tenant out of that of another.
    private static final Pattern COOKIE =
            Pattern.compile("([a-z0-9]{%d})\\.([0-9a-f]{32})".formatted(ID_LENGTH));

    private final SecretKeySpec key;

    public Devices(byte[] key) {
        this.key = new SecretKeySpec(key, "HmacSHA256");
    }

    /// What a browser keeps after the right password.
    String named(String account) {
        var id = RandomText.of(ID_LENGTH);
        return id + "." + signature(id, account);
    }

    /// Its name, if it was given for that account.
    Optional<String> known(String cookie, String account) {
        var parts = COOKIE.matcher(cookie);
        if (!parts.matches()) return Optional.empty();
        var id = parts.group(1);
        var same =
                MessageDigest.isEqual(
                        signature(id, account).getBytes(UTF_8), parts.group(2).getBytes(UTF_8));
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
