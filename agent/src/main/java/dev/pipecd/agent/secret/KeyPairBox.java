// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.secret;

import dev.pipecd.config.Secret;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.Problem;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.KeySpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.function.Function;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;

/// Sealed by anybody who has the public key, opened by the agent alone: a key of its own for each
/// secret, itself sealed by RSA.
record KeyPairBox(Secret privateKey, Secret publicKey) {
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    // the JDK's own default takes SHA-1 for the mask, which control planes do not
    private static final OAEPParameterSpec PADDING =
            new OAEPParameterSpec(
                    "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT);

    static KeyPairBox of(SecretManagement.KeyPair pair) {
        return new KeyPairBox(pair.privateKey(), pair.publicKey());
    }

    byte[] open(String name, String sealed) {
        var key = privateRsaKey();
        try {
            var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(sealed.replaceAll("\\s", "")));
            var sealedKey = new byte[Short.toUnsignedInt(bytes.getShort())];
            bytes.get(sealedKey);
            var text = new byte[bytes.remaining()];
            bytes.get(text);
            return opened(text, opened(sealedKey, key));
        } catch (GeneralSecurityException | RuntimeException e) {
            // Without the cause: it tells who tries keys how near they are.
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "%s: not sealed for this agent (expected: what `pipectl encrypt` prints for it)"
                            .formatted(name),
                    "Seal the secret again with the id of this agent; a changed key pair makes all"
                            + " secrets sealed before useless.");
        }
    }

    private static byte[] opened(byte[] sealedKey, RSAPrivateKey key)
            throws GeneralSecurityException {
        var rsa = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");
        rsa.init(Cipher.DECRYPT_MODE, key, PADDING);
        return rsa.doFinal(sealedKey);
    }

    private static byte[] opened(byte[] text, byte[] key) throws GeneralSecurityException {
        var aes = Cipher.getInstance("AES/GCM/NoPadding");
        aes.init(
                Cipher.DECRYPT_MODE,
                new SecretKeySpec(key, "AES"),
                // The nonce may be zero, because no key is ever used twice.
                new GCMParameterSpec(TAG_BITS, new byte[NONCE_BYTES]));
        return aes.doFinal(text);
    }

    /// Secrets sealed with a public key of another pair could never be opened.
    void requireMatching() {
        if (!privateRsaKey().getModulus().equals(publicRsaKey().getModulus()))
            throw unusable(
                    "publicKey", "the public key of privateKey", "Give both files of one pair.");
    }

    private RSAPrivateKey privateRsaKey() {
        return key(
                privateKey,
                "PRIVATE KEY",
                "privateKey",
                PKCS8EncodedKeySpec::new,
                RSAPrivateKey.class);
    }

    private RSAPublicKey publicRsaKey() {
        return key(
                publicKey, "PUBLIC KEY", "publicKey", X509EncodedKeySpec::new, RSAPublicKey.class);
    }

    private static <T> T key(
            Secret pem, String kind, String name, Function<byte[], KeySpec> spec, Class<T> type) {
        var begin = "-----BEGIN %s-----".formatted(kind);
        var end = "-----END %s-----".formatted(kind);
        var text = pem.reveal();
        var from = text.indexOf(begin);
        var to = text.indexOf(end);
        try {
            if (from < 0 || to < from) throw new GeneralSecurityException("no " + begin);
            var body = text.substring(from + begin.length(), to).replaceAll("\\s", "");
            var encoded = spec.apply(Base64.getDecoder().decode(body));
            var factory = KeyFactory.getInstance("RSA");
            return type.cast(
                    encoded instanceof PKCS8EncodedKeySpec
                            ? factory.generatePrivate(encoded)
                            : factory.generatePublic(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Without the cause: its text may quote the key.
            throw unusable(
                    name,
                    "an RSA key in PEM that begins with " + begin,
                    "Make a pair with `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048"
                            + " -out private-key` and `openssl pkey -in private-key -pubout -out"
                            + " public-key`.");
        }
    }

    private static Problem unusable(String name, String expected, String advice) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "secretManagement.config.%s: ****** (expected: %s)".formatted(name, expected),
                advice);
    }
}
