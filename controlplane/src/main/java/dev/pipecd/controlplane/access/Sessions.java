// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Who is logged in: the `token` cookie is a signed statement in the public form, so that sessions
/// survive a move from the public server to ours.
public final class Sessions {
    public static final Duration LIFE = Duration.ofDays(7);
    private static final String ISSUER = "PipeCD";
    private static final int LONGEST_TOKEN = 8 * 1024;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    private final SecretKeySpec key;
    private final Accounts accounts;
    private final InstantSource clock;

    /// The key is the whole content of the encryption key file: a newline at its end counts.
    public Sessions(byte[] key, Accounts accounts, InstantSource clock) {
        this.key = new SecretKeySpec(key, "HmacSHA256");
        this.accounts = accounts;
        this.clock = clock;
    }

    public String open(Caller.Person person) {
        var now = clock.instant().getEpochSecond();
        var header = JSON.createObjectNode().put("alg", "HS256").put("typ", "JWT");
        var claims =
                JSON.createObjectNode()
                        .put("iss", ISSUER)
                        .put("sub", person.name())
                        .put("exp", now + LIFE.toSeconds())
                        .put("nbf", now)
                        .put("iat", now)
                        .put("avatarUrl", "");
        var role = claims.putObject("role").put("project_id", person.project().value());
        var roles = role.putArray("project_rbac_roles");
        person.roles().stream().sorted().forEach(roles::add);
        var signed = encoded(header) + "." + encoded(claims);
        return signed + "." + ENCODER.encodeToString(signature(signed));
    }

    /// Empty when the token is not ours, not valid now, or its holder was switched off since.
    public Optional<Session> find(String token) {
        return verified(token).filter(this::stillAllowed);
    }

    private Optional<Session> verified(String token) {
        if (token.length() > LONGEST_TOKEN) return Optional.empty();
        var parts = token.split("\\.", -1);
        if (parts.length != 3) return Optional.empty();
        try {
            // The signature first: what is unsigned is not parsed at all.
            var presented = Base64.getUrlDecoder().decode(parts[2].getBytes(UTF_8));
            if (!MessageDigest.isEqual(signature(parts[0] + "." + parts[1]), presented))
                return Optional.empty();
            if (!decoded(parts[0]).path("alg").asText("").equals("HS256")) return Optional.empty();
            return session(decoded(parts[1]));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Optional<Session> session(JsonNode claims) {
        var now = clock.instant().toEpochMilli() / 1000.0;
        if (!claims.path("iss").asText("").equals(ISSUER)
                || !claims.path("exp").isNumber()
                || claims.path("exp").asDouble() <= now
                || claims.path("nbf").asDouble(0) > now
                || claims.path("iat").asDouble(0) > now) return Optional.empty();
        var project = claims.path("role").path("project_id").asText("");
        var name = claims.path("sub").asText("");
        if (project.isBlank() || name.isBlank()) return Optional.empty();
        Set<String> roles = new LinkedHashSet<>();
        claims.path("role").path("project_rbac_roles").forEach(r -> roles.add(r.asText()));
        return Optional.of(
                new Session(
                        new Caller.Person(new ProjectId(project), name, roles),
                        claims.path("avatarUrl").asText(""),
                        Instant.ofEpochSecond(claims.path("exp").asLong())));
    }

    /// Only static administrators log in so far: a name that is not the administrator's any more,
    /// or whose project is gone, is not believed until its token runs out.
    private boolean stillAllowed(Session session) {
        return accounts.staticAdmin(session.person().project())
                .filter(admin -> admin.username().equals(session.person().name()))
                .isPresent();
    }

    private static String encoded(JsonNode json) {
        try {
            return ENCODER.encodeToString(JSON.writeValueAsBytes(json));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode decoded(String part) throws IOException {
        return JSON.readTree(Base64.getUrlDecoder().decode(part.getBytes(UTF_8)));
    }

    private byte[] signature(String signed) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(signed.getBytes(US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new Problem(
                    Problem.Code.INTERNAL,
                    "HmacSHA256: not offered by this JVM (expected: every JVM has it)",
                    "Use a complete JDK.",
                    e);
        }
    }

    /// A person, and until when we believe it.
    public record Session(Caller.Person person, String avatarUrl, Instant expires) {}
}
