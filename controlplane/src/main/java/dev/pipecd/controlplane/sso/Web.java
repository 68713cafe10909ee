// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/// Asks other systems: JSON only, no redirects, small answers, short patience, few at once. What
/// they answer is never shown.
final class Web {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LARGEST = 1024 * 1024;
    private static final int MOST_AT_ONCE = 16;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, HttpClient> clients = new ConcurrentHashMap<>();
    private final Semaphore turns = new Semaphore(MOST_AT_ONCE, true);

    JsonNode get(URI uri, String proxy, String... headers)
            throws SignOnFailed, InterruptedException {
        return parsed(asked(request(uri, headers).GET().build(), proxy), uri);
    }

    String text(URI uri, String proxy) throws SignOnFailed, InterruptedException {
        return asked(request(uri).GET().build(), proxy);
    }

    JsonNode post(URI uri, String proxy, Map<String, String> form, String... headers)
            throws SignOnFailed, InterruptedException {
        var body = HttpRequest.BodyPublishers.ofString(query(form));
        var request =
                request(uri, headers)
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(body)
                        .build();
        return parsed(asked(request, proxy), uri);
    }

    private static HttpRequest.Builder request(URI uri, String... headers) {
        var request =
                HttpRequest.newBuilder(uri).timeout(PATIENCE).header("accept", "application/json");
        for (var i = 0; i < headers.length; i += 2) request.header(headers[i], headers[i + 1]);
        return request;
    }

    private String asked(HttpRequest request, String proxy)
            throws SignOnFailed, InterruptedException {
        turns.acquire();
        try {
            var answer = client(proxy).send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (var body = answer.body()) {
                var bytes = body.readNBytes(LARGEST + 1);
                if (bytes.length > LARGEST)
                    throw new SignOnFailed(request.uri().getHost() + " answered too much.");
                if (answer.statusCode() != 200)
                    throw new SignOnFailed(
                            "%s answered with status %d."
                                    .formatted(request.uri().getHost(), answer.statusCode()));
                return new String(bytes, UTF_8);
            }
        } catch (IOException e) {
            throw new SignOnFailed(request.uri().getHost() + " cannot be reached.", e);
        } finally {
            turns.release();
        }
    }

    private static JsonNode parsed(String text, URI uri) throws SignOnFailed {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new SignOnFailed(uri.getHost() + " did not answer in JSON.");
        }
    }

    private HttpClient client(String proxy) throws SignOnFailed {
        var selected = proxy.isEmpty() ? HttpClient.Builder.NO_PROXY : selector(proxy);
        return clients.computeIfAbsent(
                proxy,
                _ ->
                        HttpClient.newBuilder()
                                .connectTimeout(PATIENCE)
                                .followRedirects(HttpClient.Redirect.NEVER)
                                .proxy(selected)
                                .build());
    }

    private static ProxySelector selector(String proxy) throws SignOnFailed {
        var uri = uri(proxy, "proxyUrl");
        var port = uri.getPort() > 0 ? uri.getPort() : 80;
        return ProxySelector.of(InetSocketAddress.createUnresolved(uri.getHost(), port));
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
