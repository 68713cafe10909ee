// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import io.grpc.Context;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
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

    /// In seconds: the clock of the server that opened a session may be ahead of ours.
    private static final int LEEWAY = 60;

    private static final int LONGEST_TOKEN = 8 * 1024;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /// The session of the current call of a person.
    public static final Context.Key<Session> CURRENT = Context.key("session");

    private static final String BY_PASSWORD = "static:";
    private static final String FROM_ELSEWHERE = "sso:";

    private final SecretKeySpec key;
    private final Accounts accounts;
    private final SessionStore store;
    private final InstantSource clock;

    /// The key is the whole content of the encryption key file: a newline at its end counts.
    public Sessions(byte[] key, Accounts accounts, SessionStore store, InstantSource clock) {
        this.key = new SecretKeySpec(key, "HmacSHA256");
        this.accounts = accounts;
        this.store = store;
        this.clock = clock;
    }

    /// For the static administrator, as long as name and password stay what they are.
    public String open(Caller.Person admin) {
        store.opened(admin.project(), admin.name(), "logged in by password");
        return token(new Visitor(admin, "", LIFE, ""), byPassword(admin.project()));
    }

    /// For somebody another system vouches for, as long as its word counts.
    public String open(Visitor visitor) {
        var person = visitor.person();
        store.opened(person.project(), person.name(), "logged in by single sign-on");
        return token(visitor, fromElsewhere(person.project(), visitor.voucher()));
    }

    private String token(Visitor visitor, String via) {
        var person = visitor.person();
        var now = clock.instant().getEpochSecond();
        var header = JSON.createObjectNode().put("alg", "HS256").put("typ", "JWT");
        var claims =
                JSON.createObjectNode()
                        .put("iss", ISSUER)
                        .put("sub", person.name())
                        .put("exp", now + visitor.life().toSeconds())
                        .put("nbf", now)
                        .put("iat", now)
                        .put("avatarUrl", visitor.avatarUrl());
        var role = claims.putObject("role").put("project_id", person.project().value());
        var roles = role.putArray("project_rbac_roles");
        person.roles().stream().sorted().forEach(roles::add);
        // Two sessions opened in one second are two: ending one leaves the other.
        claims.put("via", via)
                .put("ends", SessionEnds.told(store, person, isByPassword(via)))
                .put("jti", RandomText.of(16));
        var signed = encoded(header) + "." + encoded(claims);
        return signed + "." + ENCODER.encodeToString(signature(signed));
    }

    /// Empty when the token is not ours, not valid now, or its holder was switched off since.
    public Optional<Session> find(String token) {
        return verified(token)
                .filter(this::stillAllowed)
                .filter(session -> !SessionEnds.ended(store, session));
    }

    /// Ends it: from now on the token opens nothing, here and on every other server of the store.
    public void end(String token) {
        find(token)
                .ifPresent(session ->
                        store.end(
                                session.person().project(),
                                session.person().name(),
                                new SessionStore.End(
                                        session.id(), session.expires(), "logged out")));
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
            return session(decoded(parts[1]), token);
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Optional<Session> session(JsonNode claims, String token) {
        var now = clock.instant().toEpochMilli() / 1000.0;
        if (!claims.path("iss").asText("").equals(ISSUER)
                || !claims.path("exp").isNumber()
                || claims.path("exp").asDouble() <= now
                || claims.path("nbf").asDouble(0) > now + LEEWAY
                || claims.path("iat").asDouble(0) > now + LEEWAY) return Optional.empty();
        var project = claims.path("role").path("project_id").asText("");
        var name = claims.path("sub").asText("");
        if (project.isBlank() || name.isBlank()) return Optional.empty();
        Set<String> roles = new LinkedHashSet<>();
        claims.path("role").path("project_rbac_roles").forEach(r -> roles.add(r.asText()));
        return Optional.of(
                new Session(
                        person(new ProjectId(project), name, roles),
                        claims.path("avatarUrl").asText(""),
                        Instant.ofEpochSecond(claims.path("iat").asLong(0)),
                        Instant.ofEpochSecond(claims.path("exp").asLong()),
                        claims.path("via").asText(""),
                        claims.path("ends").asText(""),
                        HexFormat.of().formatHex(signature("ended " + token))));
    }

    /// What a role allows is looked up each time: a change of it holds from the next call on.
    private Caller.Person person(ProjectId project, String name, Set<String> roles) {
        return new Caller.Person(project, name, roles, accounts.permissions(project, roles));
    }

    /// Only a token of the public server does not say how its holder logged in.
    private boolean stillAllowed(Session session) {
        var project = session.person().project();
        var isAdmin =
                accounts.staticAdmin(project)
                        .filter(admin -> admin.username().equals(session.person().name()))
                        .isPresent();
        if (session.byPassword()) return isAdmin && session.via().equals(byPassword(project));
        var vouchers = accounts.vouchers(project);
        if (session.via().isEmpty()) return isAdmin || !vouchers.isEmpty();
        return vouchers.stream().anyMatch(v -> session.via().equals(fromElsewhere(project, v)));
    }

    /// Changes with the administrator's name and password, and tells neither.
    private String byPassword(ProjectId project) {
        var admin =
                accounts.staticAdmin(project)
                        .map(a -> a.username() + " " + a.passwordHash())
                        .orElse("");
        return BY_PASSWORD + fingerprint("static " + project.value() + " " + admin);
    }

    private static boolean isByPassword(String via) {
        return via.startsWith(BY_PASSWORD);
    }

    private String fromElsewhere(ProjectId project, String voucher) {
        return FROM_ELSEWHERE + fingerprint("sso " + project.value() + " " + voucher);
    }

    private String fingerprint(String text) {
        return HexFormat.of().formatHex(signature(text)).substring(0, 16);
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
            return mac.doFinal(signed.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new Problem(
                    Problem.Code.INTERNAL,
                    "HmacSHA256: not offered by this JVM (expected: every JVM has it)",
                    "Use a complete JDK.",
                    e);
        }
    }

    /// Somebody who is about to be let in.
    ///
    /// @param voucher on whose word, one of `Accounts.vouchers`
    public record Visitor(Caller.Person person, String avatarUrl, Duration life, String voucher) {}

    /// A person, and until when we believe it.
    ///
    /// @param opened in whole seconds
    /// @param via how the holder logged in; empty when the token does not say
    /// @param ends which ends of many sessions were known when it was opened; empty when the token
    ///   does not say
    /// @param id tells sessions apart and is no secret
    public record Session(
            Caller.Person person,
            String avatarUrl,
            Instant opened,
            Instant expires,
            String via,
            String ends,
            String id) {
        /// As the static administrator, who has no group elsewhere.
        boolean byPassword() {
            return isByPassword(via);
        }
    }
}
