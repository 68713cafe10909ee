// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.MGF1ParameterSpec;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;

/// The public form of a sealed secret: the length of an RSA block in two bytes, that block with a
/// random key, and what is secret under that key; all in base64.
record SealedSecrets(KeyPair keys) {
    private static final OAEPParameterSpec OAEP =
            new OAEPParameterSpec(
                    "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT);

    static SealedSecrets create() {
        try {
            var generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return new SealedSecrets(generator.generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    String seal(String secret) {
        try {
            var generator = KeyGenerator.getInstance("AES");
            generator.init(256);
            var key = generator.generateKey();
            var block = rsa(Cipher.ENCRYPT_MODE).doFinal(key.getEncoded());
            var sealed =
                    aes(Cipher.ENCRYPT_MODE, key.getEncoded())
                            .doFinal(secret.getBytes(StandardCharsets.UTF_8));
            var whole = ByteBuffer.allocate(2 + block.length + sealed.length);
            whole.putShort((short) block.length).put(block).put(sealed);
            return Base64.getEncoder().encodeToString(whole.array());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    String open(String sealed) {
        try {
            var whole = ByteBuffer.wrap(Base64.getDecoder().decode(sealed));
            var block = new byte[whole.getShort()];
            whole.get(block);
            var rest = new byte[whole.remaining()];
            whole.get(rest);
            var key = rsa(Cipher.DECRYPT_MODE).doFinal(block);
            return new String(aes(Cipher.DECRYPT_MODE, key).doFinal(rest), StandardCharsets.UTF_8);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private Cipher rsa(int mode) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("RSA/ECB/OAEPPadding");
        cipher.init(mode, mode == Cipher.ENCRYPT_MODE ? keys.getPublic() : keys.getPrivate(), OAEP);
        return cipher;
    }

    @SuppressWarnings("InsecureCryptoUsage") // the key is used once: the public form has no nonce
    private static Cipher aes(int mode, byte[] key) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, new byte[12]));
        return cipher;
    }
}
