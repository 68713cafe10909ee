// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/// The key of a service account, by which it says who it is.
record GoogleKey(JsonNode written) {
    private static final Duration VALID = Duration.ofMinutes(10);

    String assertion(Instant now) {
        var header = JsonNodeFactory.instance.objectNode().put("alg", "RS256").put("typ", "JWT");
        var claims =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("iss", written.path("client_email").asText())
                        .put("scope", GoogleAccount.SCOPE)
                        .put("aud", written.path("token_uri").asText())
                        .put("iat", now.getEpochSecond())
                        .put("exp", now.plus(VALID).getEpochSecond());
        var signed =
                part(header.toString().getBytes(StandardCharsets.UTF_8))
                        + "."
                        + part(claims.toString().getBytes(StandardCharsets.UTF_8));
        return signed + "." + part(signature(written.path("private_key").asText(), signed));
    }

    private static String part(byte[] content) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(content);
    }

    private static byte[] signature(String pem, String text) {
        try {
            var der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
            var signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(
                    KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der)));
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return signature.sign();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Without the cause: its text might quote the key.
            throw GoogleAccount.invalid(
                    "private_key: ****** (expected: an RSA key in PEM form)",
                    "Download the key of the service account again.");
        }
    }
}
