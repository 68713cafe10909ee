// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// An OpenID issuer and a GitHub Enterprise server on loopback, with real signatures: people log in
/// as soon as they come. Tests may spoil what it answers.
final class FakeProvider implements AutoCloseable {
    static final String CLIENT = "client-1";
    static final String SECRET = "canary-secret-5b1e";

    final Map<String, Object> claims = new ConcurrentHashMap<>(Map.of("sub", "u-1"));
    volatile UnaryOperator<JWTClaimsSet.Builder> spoil = c -> c;
    volatile Signature signature = Signature.RIGHT;
    volatile int teams = 3;
    volatile String userInfoSubject = "u-1";
    final List<String> asked = new java.util.concurrent.CopyOnWriteArrayList<>();

    private final RSAKey key;
    private final RSAKey otherKey;
    private final HttpServer server;
    private final Map<String, Map<String, String>> codes = new ConcurrentHashMap<>();

    FakeProvider() throws Exception {
        key = new RSAKeyGenerator(2048).keyID("k1").generate();
        otherKey = new RSAKeyGenerator(2048).keyID("k1").generate();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /// What a browser that is sent there is sent back with.
    String code(URI authorize) {
        var query = query(authorize.getRawQuery());
        var code = "code-" + codes.size();
        codes.put(code, query);
        return code;
    }

    private void handle(HttpExchange call) throws IOException {
        asked.add(call.getRequestURI().toString());
        try {
            var answer = answer(call);
            var bytes = answer.getBytes(UTF_8);
            call.getResponseHeaders().add("content-type", "application/json");
            call.sendResponseHeaders(answer.isEmpty() ? 400 : 200, bytes.length);
            call.getResponseBody().write(bytes);
        } catch (Exception e) {
            call.sendResponseHeaders(500, -1);
        } finally {
            call.close();
        }
    }

    private String answer(HttpExchange call) throws Exception {
        return switch (call.getRequestURI().getPath()) {
            case "/.well-known/openid-configuration" ->
                    """
                    {"issuer":"%1$s","authorization_endpoint":"%1$s/authorize",
                     "token_endpoint":"%1$s/token","userinfo_endpoint":"%1$s/me","jwks_uri":"%1$s/keys"}
                    """
                            .formatted(url());
            case "/keys" -> new JWKSet(key.toPublicJWK()).toString();
            case "/token", "/other-token" -> token(call);
            case "/me", "/other-me" ->
                    "{\"sub\":\"%s\",\"picture\":\"https://pictures/1\"}"
                            .formatted(userInfoSubject);
            case "/login/oauth/access_token" -> gitHubToken(call);
            case "/api/v3/user" -> "{\"login\":\"octo\",\"avatar_url\":\"https://pictures/octo\"}";
            case "/api/v3/user/teams" -> teams(call);
            default -> "";
        };
    }

    /// Refuses as a real one does: wrong client, wrong address, or not who began.
    private String token(HttpExchange call) throws Exception {
        var form = query(new String(call.getRequestBody().readAllBytes(), UTF_8));
        var basic =
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString((CLIENT + ":" + SECRET).getBytes(UTF_8));
        var round = codes.remove(form.getOrDefault("code", ""));
        if (round == null
                || !basic.equals(call.getRequestHeaders().getFirst("authorization"))
                || !proven(form, round)) return "";
        return "{\"access_token\":\"at\",\"id_token\":\"%s\"}"
                .formatted(idToken(round.getOrDefault("nonce", "")));
    }

    private static boolean proven(Map<String, String> form, Map<String, String> round)
            throws Exception {
        var digest =
                MessageDigest.getInstance("SHA-256")
                        .digest(form.getOrDefault("code_verifier", "").getBytes(UTF_8));
        return Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(digest)
                        .equals(round.get("code_challenge"))
                && form.getOrDefault("redirect_uri", "").equals(round.get("redirect_uri"));
    }

    private String idToken(String nonce) throws Exception {
        var now = Instant.now();
        var said =
                new JWTClaimsSet.Builder()
                        .issuer(url())
                        .audience(CLIENT)
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(now.plus(Duration.ofMinutes(5))))
                        .claim("nonce", nonce);
        claims.forEach(said::claim);
        var all = spoil.apply(said).build();
        if (signature == Signature.NONE) return new PlainJWT(all).serialize();
        var token =
                new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("k1").build(), all);
        token.sign(new RSASSASigner(signature == Signature.RIGHT ? key : otherKey));
        return token.serialize();
    }

    private String gitHubToken(HttpExchange call) throws Exception {
        var form = query(new String(call.getRequestBody().readAllBytes(), UTF_8));
        var round = codes.remove(form.getOrDefault("code", ""));
        if (round == null
                || !CLIENT.equals(form.get("client_id"))
                || !SECRET.equals(form.get("client_secret"))
                || !proven(form, round)) return "{\"error\":\"bad_verification_code\"}";
        return "{\"access_token\":\"gt\"}";
    }

    private String teams(HttpExchange call) {
        if (!"Bearer gt".equals(call.getRequestHeaders().getFirst("authorization"))) return "";
        var query = query(call.getRequestURI().getRawQuery());
        var size = Integer.parseInt(query.getOrDefault("per_page", "30"));
        var from = (Integer.parseInt(query.getOrDefault("page", "1")) - 1) * size;
        return IntStream.range(from, Math.min(teams, from + size))
                .mapToObj("{\"slug\":\"team-%d\",\"organization\":{\"login\":\"org\"}}"::formatted)
                .collect(Collectors.joining(",", "[", "]"));
    }

    static Map<String, String> query(String text) {
        var found = new HashMap<String, String>();
        for (var part : text.split("&")) {
            var equals = part.indexOf('=');
            if (equals > 0)
                found.put(
                        part.substring(0, equals),
                        URLDecoder.decode(part.substring(equals + 1), UTF_8));
        }
        return found;
    }

    @Override
    public void close() {
        server.stop(0);
    }

    enum Signature {
        RIGHT,
        OTHER_KEY,
        NONE
    }
}
