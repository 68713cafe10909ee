// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;

/// Secrets that may lie in Git, because only the agent they are meant for can open them.
public final class SealedSecrets {
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    // the JDK's own default takes SHA-1 for the mask, which agents do not
    private static final OAEPParameterSpec PADDING =
            new OAEPParameterSpec(
                    "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT);

    private final Pipeds pipeds;
    private final SecureRandom random = new SecureRandom();

    public SealedSecrets(Pipeds pipeds) {
        this.pipeds = pipeds;
    }

    /// Seals `data` for an agent, or its base64 form.
    ///
    /// A person must be allowed to change applications; of a key's holder reading is enough, since
    /// what is sealed is the caller's own.
    public String seal(Caller caller, PipedId id, String data, boolean asBase64) {
        switch (caller) {
            case Caller.Person _ -> caller.require(Resource.APPLICATION, Action.UPDATE);
            case Caller.KeyHolder _, Caller.Agent _ -> caller.require(Resource.PIPED, Action.GET);
        }
        var encryption = pipeds.ofProject(caller.project(), id).getSecretEncryption();
        if (!encryption.getType().equals("KEY_PAIR"))
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "secret encryption: %s of piped %s (expected: KEY_PAIR)"
                            .formatted(
                                    encryption.getType().isEmpty() ? "none" : encryption.getType(),
                                    id),
                    "Give the agent a key pair under `secretManagement:` and start it.");
        var bytes = data.getBytes(StandardCharsets.UTF_8);
        var plain = asBase64 ? Base64.getEncoder().encode(bytes) : bytes;
        try {
            return Base64.getEncoder()
                    .encodeToString(sealed(plain, publicKey(encryption.getPublicKey())));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "public key: not usable, as piped %s reported it (expected: an RSA key in PEM)"
                            .formatted(id),
                    "Correct the key under the agent's `secretManagement:` and start it.",
                    e);
        }
    }

    private static PublicKey publicKey(String pem) throws GeneralSecurityException {
        var body =
                pem.replace("-----BEGIN PUBLIC KEY-----", "")
                        .replace("-----END PUBLIC KEY-----", "")
                        .replaceAll("\\s", "");
        return KeyFactory.getInstance("RSA")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(body)));
    }

    /// Length of the sealed key, the sealed key, and the text under that key. The nonce may be
    /// zero, because no key is ever used twice.
    private byte[] sealed(byte[] plain, PublicKey receiver) throws GeneralSecurityException {
        var key = new byte[KEY_BYTES];
        random.nextBytes(key);
        var rsa = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");
        rsa.init(Cipher.ENCRYPT_MODE, receiver, PADDING);
        var sealedKey = rsa.doFinal(key);
        var aes = Cipher.getInstance("AES/GCM/NoPadding");
        aes.init(
                Cipher.ENCRYPT_MODE,
                new SecretKeySpec(key, "AES"),
                new GCMParameterSpec(TAG_BITS, new byte[NONCE_BYTES]));
        var text = aes.doFinal(plain);
        return ByteBuffer.allocate(2 + sealedKey.length + text.length)
                .putShort((short) sealedKey.length)
                .put(sealedKey)
                .put(text)
                .array();
    }
}
