// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;

/// Believes the token an issuer signed, if it is meant for us, for this login, and now. The only
/// place that knows the library for it, which is loaded at the first login from elsewhere.
final class IdTokens {
    private static final Duration LEEWAY = Duration.ofMinutes(1);
    private static final int LONGEST = 64 * 1024;
    private static final ObjectMapper JSON = new ObjectMapper();

    private IdTokens() {}

    static ObjectNode verified(String token, String keys, Expected expected) throws SignOnFailed {
        if (token.isEmpty() || token.length() > LONGEST)
            throw new SignOnFailed("The issuer did not accept the login.");
        try {
            // Public keys only: a symmetric or absent signature is not among them.
            var algorithms = new LinkedHashSet<JWSAlgorithm>();
            algorithms.addAll(JWSAlgorithm.Family.SIGNATURE);
            var processor = new DefaultJWTProcessor<SecurityContext>();
            processor.setJWSKeySelector(
                    new JWSVerificationKeySelector<>(
                            algorithms, new ImmutableJWKSet<>(JWKSet.parse(keys))));
            processor.setJWTClaimsSetVerifier((_, _) -> {}); // checked below, by our own clock
            var claims = processor.process(token, null);
            check(claims, expected);
            return JSON.valueToTree(claims.toJSONObject());
        } catch (ParseException | BadJOSEException | JOSEException e) {
            throw new SignOnFailed("The issuer's token is not signed by the issuer.", e);
        }
    }

    private static void check(JWTClaimsSet claims, Expected expected)
            throws SignOnFailed, ParseException {
        if (!expected.issuer().equals(claims.getIssuer())) throw not("from the issuer");
        if (!claims.getAudience().contains(expected.client())) throw not("for us");
        var party = claims.getStringClaim("azp");
        if (claims.getAudience().size() > 1 && party != null && !party.equals(expected.client()))
            throw not("for us");
        if (!expected.nonce().equals(claims.getStringClaim("nonce"))) throw not("for this login");
        var ends = claims.getExpirationTime();
        if (ends == null || !expected.now().isBefore(ends.toInstant().plus(LEEWAY)))
            throw not("valid any more");
        var made = claims.getIssueTime();
        if (made != null && made.toInstant().isAfter(expected.now().plus(LEEWAY)))
            throw not("valid yet");
        var begins = claims.getNotBeforeTime();
        if (begins != null && begins.toInstant().isAfter(expected.now().plus(LEEWAY)))
            throw not("valid yet");
    }

    private static SignOnFailed not(String what) {
        return new SignOnFailed("The issuer's token is not " + what + ".");
    }

    /// What a token must say.
    record Expected(String issuer, String client, String nonce, Instant now) {}
}
