// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.domain.Problem;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Seals secrets before they are stored, in the public form: AES-256-GCM under the first 32 bytes
/// of the encryption key file, the nonce in front, all of it in Base64.
public final class Seal {
    private static final int KEY = 32;
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKeySpec key;

    public Seal(byte[] key) {
        this.key = new SecretKeySpec(Arrays.copyOf(key, KEY), "AES");
    }

    public String seal(String secret) {
        var nonce = new byte[NONCE];
        RANDOM.nextBytes(nonce);
        try {
            var sealed = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(secret.getBytes(UTF_8));
            var all = Arrays.copyOf(nonce, NONCE + sealed.length);
            System.arraycopy(sealed, 0, all, NONCE, sealed.length);
            return Base64.getEncoder().encodeToString(all);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM is missing from this JDK", e);
        }
    }

    public String open(String sealed) {
        try {
            var all = Base64.getDecoder().decode(sealed);
            if (all.length < NONCE) throw new IllegalArgumentException("short");
            var nonce = Arrays.copyOf(all, NONCE);
            var opened = cipher(Cipher.DECRYPT_MODE, nonce).doFinal(all, NONCE, all.length - NONCE);
            return new String(opened, UTF_8);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "sealed secret: cannot be opened (expected: sealed with this encryption key)",
                    "Start the server with the encryption key file it was stored with, or set the"
                            + " secret again.");
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        return cipher;
    }
}
