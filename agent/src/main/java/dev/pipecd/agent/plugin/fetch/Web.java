// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/// Asks servers for files. Follows them to other places, but takes no secret along and leaves no
/// protected way.
final class Web implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_TURNS = 5;

    private final ProxyByEnvironment proxies;
    private final HttpClient client;

    Web(Map<String, String> environment) {
        this.proxies = new ProxyByEnvironment(environment);
        this.client =
                HttpClient.newBuilder()
                        .proxy(proxies)
                        .connectTimeout(PATIENCE)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
    }

    /// How a plugin's origin wants to be asked.
    static Map<String, String> basic(PipedConfig.Origin origin) {
        if (origin.username().isEmpty()) return Map.of();
        var pair = origin.username() + ":" + origin.password().reveal();
        return Map.of(
                "Authorization",
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
    }

    /// The answer wherever it is in the end, whatever its status.
    HttpResponse<InputStream> get(URI address, Map<String, String> headers)
            throws IOException, InterruptedException {
        var where = address;
        var shown = new HashMap<>(headers);
        for (var turn = 0; turn < MOST_TURNS; turn++) {
            var request = HttpRequest.newBuilder(where).timeout(PATIENCE).GET();
            shown.forEach(request::header);
            var answer =
                    client.send(
                            proxies.request(request), HttpResponse.BodyHandlers.ofInputStream());
            var next = answer.headers().firstValue("Location");
            if (answer.statusCode() / 100 != 3 || next.isEmpty()) return answer;
            answer.body().close();
            var target = target(address, where, next.get());
            if (where.getScheme().equals("https") && !"https".equals(target.getScheme()))
                throw refused(address, "leads to " + target.getScheme(), "an https address");
            if (!where.getAuthority().equals(target.getAuthority()))
                shown.keySet().removeIf("Authorization"::equalsIgnoreCase);
            where = target;
        }
        throw refused(address, "leads on and on", "at most %d turns".formatted(MOST_TURNS));
    }

    private static URI target(URI address, URI where, String location) {
        try {
            var target = where.resolve(new URI(location));
            if (target.getHost() != null && target.getScheme().matches("(?i)https?")) return target;
        } catch (URISyntaxException e) {
            // Not told: what it leads to may hold a signature.
        }
        throw refused(address, "leads to what is no address", "an https address");
    }

    /// The body of a good answer.
    InputStream body(URI address, HttpResponse<InputStream> answer) throws IOException {
        if (answer.statusCode() == 200) return answer.body();
        answer.body().close();
        throw refused(address, "answers " + answer.statusCode(), "200");
    }

    /// Nobody waits for a server that got stuck.
    @Override
    public void close() {
        client.shutdownNow();
    }

    static Problem refused(URI address, String what, String expected) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "%s: %s (expected: %s)".formatted(shown(address), what, expected),
                "Check the plugin's `url`, and `username` and `password` if it needs them.");
    }

    /// Without a password or a signature that the address may hold.
    static String shown(URI address) {
        return "%s://%s%s"
                .formatted(
                        address.getScheme(),
                        address.getAuthority().replaceFirst("^.*@", ""),
                        address.getPath());
    }
}
