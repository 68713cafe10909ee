// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.SharedSso;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;

/// Asks other systems: JSON only, no redirects, small answers, short patience, few at once for each
/// way. What they answer is never shown.
final class Web {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LARGEST = 1024 * 1024;
    private static final int MOST_AT_ONCE = 16;
    private static final int MOST_CLIENTS = 100;
    private static final ObjectMapper JSON = new ObjectMapper();

    static {
        // Java shows no password to a proxy it asks for a tunnel, unless told so before the first
        // client is made; the server makes this one before it listens.
        var tunneling = "jdk.http.auth.tunneling.disabledSchemes";
        if (System.getProperty(tunneling) == null) System.setProperty(tunneling, "");
    }

    private final Map<String, HttpClient> clients = new ConcurrentHashMap<>();
    private final Map<String, Semaphore> turns = new ConcurrentHashMap<>();
    private final Duration patience;

    Web() {
        this(PATIENCE);
    }

    /// @param patience for a turn, and then for a whole answer
    Web(Duration patience) {
        this.patience = patience;
    }

    JsonNode get(URI uri, Route route, String... headers)
            throws SignOnFailed, InterruptedException {
        return parsed(asked(request(uri, route, headers).GET().build(), route), uri);
    }

    String text(URI uri, Route route) throws SignOnFailed, InterruptedException {
        return asked(request(uri, route).GET().build(), route);
    }

    JsonNode post(URI uri, Route route, Map<String, String> form, String... headers)
            throws SignOnFailed, InterruptedException {
        var body = HttpRequest.BodyPublishers.ofString(query(form));
        var request =
                request(uri, route, headers)
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(body)
                        .build();
        return parsed(asked(request, route), uri);
    }

    /// The client keeps what is for the proxy from whoever is behind it.
    private HttpRequest.Builder request(URI uri, Route route, String... headers)
            throws SignOnFailed {
        var request =
                HttpRequest.newBuilder(uri).timeout(patience).header("accept", "application/json");
        for (var i = 0; i < headers.length; i += 2) request.header(headers[i], headers[i + 1]);
        if (!route.proxy().isEmpty()) {
            var login = proxy(route.proxy()).getUserInfo();
            if (login != null) request.header("proxy-authorization", basic(login));
        }
        return request;
    }

    /// Who has no password has an empty one.
    private static String basic(String login) {
        var both = login.contains(":") ? login : login + ":";
        return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(UTF_8));
    }

    /// Turns are of one way: an issuer that is slow, or means to be, holds up its own people only.
    private String asked(HttpRequest request, Route route)
            throws SignOnFailed, InterruptedException {
        var turn = turns.computeIfAbsent(route.way(), _ -> new Semaphore(MOST_AT_ONCE, true));
        if (!turn.tryAcquire(patience.toMillis(), MILLISECONDS))
            throw new SignOnFailed("Too many logins wait for the other system. Try again later.");
        try {
            return inTime(request, route);
        } finally {
            turn.release();
        }
    }

    /// The client's own limit ends with the headers: a body that never comes would be waited for.
    private String inTime(HttpRequest request, Route route)
            throws SignOnFailed, InterruptedException {
        var exchange = new FutureTask<>(() -> exchanged(request, route));
        Thread.ofVirtual().name("sso-exchange").start(exchange);
        try {
            return exchange.get(patience.toMillis(), MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SignOnFailed failed) throw failed;
            throw SignOnFailed.unanswered(request.uri().getHost() + " cannot be reached.", e);
        } catch (TimeoutException e) {
            throw SignOnFailed.unanswered(request.uri().getHost() + " took too long to answer.", e);
        } finally {
            exchange.cancel(true);
        }
    }

    private String exchanged(HttpRequest request, Route route)
            throws IOException, SignOnFailed, InterruptedException {
        check(request.uri().getHost(), route);
        var answer = client(route.proxy()).send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (var body = answer.body()) {
            check(request.uri().getHost(), route);
            var bytes = body.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST)
                throw SignOnFailed.unanswered(request.uri().getHost() + " answered too much.");
            if (answer.statusCode() != 200)
                throw SignOnFailed.unanswered(
                        "%s answered with status %d."
                                .formatted(request.uri().getHost(), answer.statusCode()));
            return new String(bytes, UTF_8);
        }
    }

    /// Looks up what is connected to, before the client does, and again when it has: the JDK keeps
    /// what it was told for half a minute, so that one of the two is what the client was told.
    /// Behind a proxy it is the proxy that counts, and only that needs to know the other's name.
    private static void check(String host, Route route) throws IOException, SignOnFailed {
        if (route.addresses().areAll()) return;
        var direct = route.proxy().isEmpty();
        if (!direct && !route.addresses().allowUnasked(host)) throw forbidden(host);
        var connected = direct ? host : proxy(route.proxy()).getHost();
        for (var address : InetAddress.getAllByName(connected))
            if (!route.addresses().allow(address)) throw forbidden(connected);
    }

    private static SignOnFailed forbidden(String host) {
        return SignOnFailed.unanswered(
                "%s has an address that a project's own settings may not name (spec.projectSSO.addresses of the configuration allows more)."
                        .formatted(host));
    }

    private static JsonNode parsed(String text, URI uri) throws SignOnFailed {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw SignOnFailed.unanswered(uri.getHost() + " did not answer in JSON.");
        }
    }

    private HttpClient client(String proxy) throws SignOnFailed {
        var selected = proxy.isEmpty() ? HttpClient.Builder.NO_PROXY : selector(proxy);
        // one is kept for each proxy that was ever set
        if (clients.size() >= MOST_CLIENTS) clients.clear();
        return clients.computeIfAbsent(
                proxy,
                _ ->
                        HttpClient.newBuilder()
                                .connectTimeout(patience)
                                .followRedirects(HttpClient.Redirect.NEVER)
                                .proxy(selected)
                                .build());
    }

    private static ProxySelector selector(String proxy) throws SignOnFailed {
        var uri = proxy(proxy);
        var port = uri.getPort() > 0 ? uri.getPort() : 80;
        return ProxySelector.of(InetSocketAddress.createUnresolved(uri.getHost(), port));
    }

    private static URI proxy(String text) throws SignOnFailed {
        if (SharedSso.isUsableProxy(text)) return URI.create(text);
        throw new SignOnFailed(
                "proxyUrl of the single sign-on settings is not that of an HTTP proxy.");
    }

    static URI uri(String text, String name) throws SignOnFailed {
        try {
            var uri = URI.create(text);
            var scheme = String.valueOf(uri.getScheme());
            if ((scheme.equals("https") || scheme.equals("http")) && uri.getHost() != null)
                return uri;
        } catch (IllegalArgumentException _) {
            // told below
        }
        throw new SignOnFailed(name + " of the single sign-on settings is not a URL.");
    }

    static URI withQuery(URI uri, Map<String, String> parameters) {
        var before = uri.getRawQuery() == null ? "?" : "&";
        return URI.create(uri + before + query(parameters));
    }

    static String query(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(e -> encoded(e.getKey()) + "=" + encoded(e.getValue()))
                .collect(joining("&"));
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }
}
