// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Login by way of any system that speaks OpenID Connect.
final class OidcLogin {
    private static final String DESCRIPTION = "/.well-known/openid-configuration";
    private static final Duration DESCRIPTION_LASTS = Duration.ofMinutes(5);
    private static final Duration FAILURE_LASTS = Duration.ofSeconds(5);
    private static final int MOST_DESCRIPTIONS = 100;

    private final Web web;
    private final InstantSource clock;
    private final Map<Key, Known> descriptions = new ConcurrentHashMap<>();

    OidcLogin(Web web, InstantSource clock) {
        this.web = web;
        this.clock = clock;
    }

    URI begin(Provider.Oidc oidc, Round round) throws SignOnFailed, InterruptedException {
        var authorization =
                endpoint(oidc, oidc.endpoints().authorization(), "authorization_endpoint");
        var scopes = new LinkedHashSet<>(oidc.scopes());
        scopes.add("openid");
        var parameters = new LinkedHashMap<String, String>();
        parameters.put("client_id", oidc.client().id());
        parameters.put("redirect_uri", round.redirectUri());
        parameters.put("response_type", "code");
        parameters.put("scope", String.join(" ", scopes));
        parameters.put("state", round.state());
        parameters.put("nonce", round.nonce());
        parameters.put("code_challenge", States.challenge(round.verifier()));
        parameters.put("code_challenge_method", "S256");
        return Web.withQuery(authorization, parameters);
    }

    Identity finish(Provider.Oidc oidc, Round round, String code)
            throws SignOnFailed, InterruptedException {
        var answer = exchange(oidc, round, code);
        var description = description(oidc);
        var keys =
                web.text(
                        Web.uri(description.path("jwks_uri").asText(""), "jwks_uri"), oidc.route());
        var expected =
                new IdTokens.Expected(
                        description.path("issuer").asText(""),
                        oidc.client().id(),
                        round.nonce(),
                        clock.instant());
        var claims = IdTokens.verified(answer.path("id_token").asText(""), keys, expected);
        addUserInfo(oidc, claims, answer.path("access_token").asText(""));
        return new Claims(oidc.claims(), claims).identity();
    }

    private JsonNode exchange(Provider.Oidc oidc, Round round, String code)
            throws SignOnFailed, InterruptedException {
        var form = new LinkedHashMap<String, String>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", round.redirectUri());
        form.put("code_verifier", round.verifier());
        var uri = endpoint(oidc, oidc.endpoints().token(), "token_endpoint");
        if (takesSecretInHeader(description(oidc)))
            return web.post(uri, oidc.route(), form, "authorization", basic(oidc.client()));
        form.put("client_id", oidc.client().id());
        form.put("client_secret", oidc.client().secret());
        return web.post(uri, oidc.route(), form);
    }

    /// Which an issuer that does not say does.
    private static boolean takesSecretInHeader(JsonNode description) {
        var methods = description.path("token_endpoint_auth_methods_supported");
        if (methods.isEmpty()) return true;
        for (var method : methods) if (method.asText("").equals("client_secret_basic")) return true;
        return false;
    }

    private static String basic(Provider.Client client) {
        var both = Web.encoded(client.id()) + ":" + Web.encoded(client.secret());
        return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(UTF_8));
    }

    /// What the issuer says of the person when asked counts more than what the token says.
    private void addUserInfo(Provider.Oidc oidc, ObjectNode claims, String accessToken)
            throws SignOnFailed, InterruptedException {
        var text = oidc.endpoints().userInfo();
        if (text.isEmpty()) text = description(oidc).path("userinfo_endpoint").asText("");
        if (text.isEmpty() || accessToken.isEmpty()) return;
        var told =
                web.get(
                        Web.uri(text, "userInfoEndpoint"),
                        oidc.route(),
                        "authorization",
                        "Bearer " + accessToken);
        if (!told.path("sub").asText("").equals(claims.path("sub").asText("")))
            throw new SignOnFailed("The issuer told of somebody else than who logged in.");
        told.properties().forEach(e -> claims.set(e.getKey(), e.getValue()));
    }

    private URI endpoint(Provider.Oidc oidc, String override, String name)
            throws SignOnFailed, InterruptedException {
        if (!override.isEmpty()) return Web.uri(override, name);
        return Web.uri(description(oidc).path(name).asText(""), name);
    }

    /// A failure is remembered too: an issuer that is away is not asked again by every visitor.
    private JsonNode description(Provider.Oidc oidc) throws SignOnFailed, InterruptedException {
        var now = clock.instant();
        var key = new Key(oidc.route(), oidc.issuer());
        var known = descriptions.get(key);
        if (known != null && now.isBefore(known.until())) return known.told();
        if (descriptions.size() >= MOST_DESCRIPTIONS) descriptions.clear();
        try {
            var description = asked(oidc);
            descriptions.put(key, new Told(description, now.plus(DESCRIPTION_LASTS)));
            return description;
        } catch (SignOnFailed e) {
            descriptions.put(key, new Silent(e, clock.instant().plus(FAILURE_LASTS)));
            throw e;
        }
    }

    private JsonNode asked(Provider.Oidc oidc) throws SignOnFailed, InterruptedException {
        var uri = Web.uri(oidc.issuer().replaceFirst("/$", "") + DESCRIPTION, "issuer");
        var description = web.get(uri, oidc.route());
        if (!List.of(oidc.issuer(), oidc.issuer() + "/", oidc.issuer().replaceFirst("/$", ""))
                .contains(description.path("issuer").asText("")))
            throw new SignOnFailed("The issuer calls itself by another name than the settings.");
        return description;
    }

    private record Key(Route route, String issuer) {}

    private sealed interface Known {
        Instant until();

        JsonNode told() throws SignOnFailed;
    }

    private record Told(JsonNode told, Instant until) implements Known {}

    private record Silent(SignOnFailed why, Instant until) implements Known {
        @Override
        public JsonNode told() throws SignOnFailed {
            throw new SignOnFailed(why.text(), why);
        }
    }
}
