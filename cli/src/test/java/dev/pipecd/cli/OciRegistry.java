// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A registry of the OCI distribution protocol on a free port: it refuses what does not match its
/// digest, manifests whose parts are missing, and who has not signed in as it wants.
final class OciRegistry implements AutoCloseable {
    private final HttpServer server;
    private final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
    private final Map<String, byte[]> manifests = new ConcurrentHashMap<>();
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final List<String> scopes = new CopyOnWriteArrayList<>();
    private Optional<String> wanted = Optional.empty();
    private String basic = "";
    private String challenge = "";

    private OciRegistry(HttpServer server) {
        this.server = server;
    }

    static OciRegistry start() {
        try {
            var registry =
                    new OciRegistry(
                            HttpServer.create(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                    10));
            registry.server.createContext("/", registry::answer);
            registry.server.start();
            return registry;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String address() {
        return "localhost:" + server.getAddress().getPort();
    }

    void wantsPassword(String user, String password) {
        wanted = Optional.of("Basic " + encoded(user, password));
        challenge = "Basic realm=\"registry\"";
    }

    void wantsToken(String user, String password) {
        basic = "Basic " + encoded(user, password);
        wanted = Optional.of("Bearer t0ken");
        challenge =
                "Bearer realm=\"http://%s/token\",service=\"registry\",scope=\"repository:org/plugin:pull,push\""
                        .formatted(address());
    }

    private static String encoded(String user, String password) {
        return Base64.getEncoder()
                .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    JsonObject manifest(String reference) {
        return JsonParser.parseString(text(reference)).getAsJsonObject();
    }

    String text(String reference) {
        return new String(
                Objects.requireNonNull(manifests.get(reference), reference),
                StandardCharsets.UTF_8);
    }

    String digest(String reference) {
        return digest(Objects.requireNonNull(manifests.get(reference), reference));
    }

    byte[] blob(String digest) {
        return Objects.requireNonNull(blobs.get(digest), digest);
    }

    List<String> written() {
        return List.copyOf(written);
    }

    long uploads() {
        return written.stream().filter(path -> path.contains("/uploads/")).count();
    }

    List<String> tokenScopes() {
        return List.copyOf(scopes);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void answer(HttpExchange call) throws IOException {
        var body = call.getRequestBody().readAllBytes();
        var path = call.getRequestURI().getPath();
        var signedIn = String.valueOf(call.getRequestHeaders().getFirst("Authorization"));
        if (path.equals("/token")) token(call, signedIn);
        else if (wanted.isPresent() && !wanted.get().equals(signedIn)) {
            call.getResponseHeaders().set("WWW-Authenticate", challenge);
            say(call, 401, "{\"errors\":[{\"code\":\"UNAUTHORIZED\"}]}");
        } else if (path.contains("/blobs/uploads/")) upload(call, body);
        else if (path.contains("/manifests/")) manifest(call, body);
        else say(call, blobs.containsKey(last(path)) ? 200 : 404, "");
    }

    private void token(HttpExchange call, String signedIn) throws IOException {
        var query = URLDecoder.decode(call.getRequestURI().getQuery(), StandardCharsets.UTF_8);
        for (var part : query.split("&"))
            if (part.startsWith("scope=")) scopes.add(part.substring("scope=".length()));
        if (signedIn.equals(basic)) say(call, 200, "{\"token\":\"t0ken\"}");
        else say(call, 401, "");
    }

    private void upload(HttpExchange call, byte[] body) throws IOException {
        if (call.getRequestMethod().equals("POST")) {
            call.getResponseHeaders().set("Location", call.getRequestURI().getPath() + "1?state=x");
            say(call, 202, "");
            return;
        }
        var query = call.getRequestURI().getQuery();
        var digest = query.substring(query.indexOf("digest=") + "digest=".length());
        if (!digest.equals(digest(body)) || !query.contains("state=x")) {
            say(call, 400, "{\"errors\":[{\"code\":\"DIGEST_INVALID\"}]}");
            return;
        }
        blobs.put(digest, body);
        written.add(call.getRequestURI().getPath());
        say(call, 201, "");
    }

    private void manifest(HttpExchange call, byte[] body) throws IOException {
        var reference = last(call.getRequestURI().getPath());
        if (reference.contains(":") && !reference.equals(digest(body))) say(call, 400, "");
        else if (!partsOf(body).stream()
                .allMatch(part -> blobs.containsKey(part) || manifests.containsKey(part)))
            say(call, 400, "{\"errors\":[{\"code\":\"MANIFEST_BLOB_UNKNOWN\"}]}");
        else {
            manifests.put(reference, body);
            written.add(call.getRequestURI().getPath());
            say(call, 201, "");
        }
    }

    private static List<String> partsOf(byte[] manifest) {
        var parts = new ArrayList<String>();
        var found =
                java.util.regex.Pattern.compile("\"digest\":\"([^\"]+)\"")
                        .matcher(new String(manifest, StandardCharsets.UTF_8));
        while (found.find()) parts.add(found.group(1));
        return parts;
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String digest(byte[] bytes) {
        try {
            return "sha256:"
                    + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static void say(HttpExchange call, int status, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var silent = call.getRequestMethod().equals("HEAD") || bytes.length == 0;
        call.sendResponseHeaders(status, silent ? -1 : bytes.length);
        if (!silent) call.getResponseBody().write(bytes);
        call.close();
    }
}
