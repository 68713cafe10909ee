// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/// A server of files and an OCI registry in one, which keeps account of what was asked.
final class SmallRegistry implements AutoCloseable {
    final List<String> asked = new CopyOnWriteArrayList<>();
    final List<String> queries = new CopyOnWriteArrayList<>();
    private final Map<String, byte[]> content = new ConcurrentHashMap<>();
    private final Map<String, String> redirects = new ConcurrentHashMap<>();
    private final HttpServer server;
    private volatile String demanded = "";
    private volatile String challenge = "";
    private volatile int tornAfter = -1;
    private volatile boolean stuck;

    SmallRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    String url(String path) {
        return "http://" + host() + path;
    }

    SmallRegistry put(String path, String text) {
        content.put(path, text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    void remove(String path) {
        content.remove(path);
    }

    void redirect(String path, String to) {
        redirects.put(path, to);
    }

    /// From now on only who shows this gets anything but `/token`.
    void demand(String authorization, String challenge) {
        this.demanded = authorization;
        this.challenge = challenge;
    }

    /// Breaks off every answer after so many bytes.
    void tearAfter(int bytes) {
        tornAfter = bytes;
    }

    void getStuck() {
        stuck = true;
    }

    /// Puts an artifact as `pipectl plugin push` makes it; answers the digest of its index.
    String push(String repository, String tag, Map<String, String> programs) {
        var entries = new StringBuilder();
        programs.forEach((architecture, program) -> {
            var layer = Checksum.of(program);
            put("/v2/" + repository + "/blobs/" + layer, program);
            var manifest =
                    """
                    {"schemaVersion": 2, "artifactType": "application/vnd.pipecd.piped.plugin+type", "layers": [
                    {"mediaType": "application/vnd.pipecd.piped.plugin", "digest": "%s", "size": %d}]}
                    """
                            .formatted(layer, program.getBytes(StandardCharsets.UTF_8).length);
            put("/v2/" + repository + "/manifests/" + Checksum.of(manifest), manifest);
            entries.append(entries.isEmpty() ? "" : ",")
                    .append(
                            """
                            {"digest": "%s", "platform": {"os": "linux", "architecture": "%s"}}\
                            """
                                    .formatted(Checksum.of(manifest), architecture));
        });
        var index = "{\"schemaVersion\": 2, \"manifests\": [" + entries + "]}";
        put("/v2/" + repository + "/manifests/" + tag, index);
        put("/v2/" + repository + "/manifests/" + Checksum.of(index), index);
        return Checksum.of(index).toString();
    }

    private void answer(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var shown = exchange.getRequestHeaders().getFirst("Authorization");
        asked.add(path + (shown == null ? "" : " " + shown));
        var query = exchange.getRequestURI().getQuery();
        if (query != null) queries.add(query);
        try (exchange) {
            if (!demanded.isEmpty() && !path.equals("/token") && !demanded.equals(shown)) {
                exchange.getResponseHeaders().set("WWW-Authenticate", challenge);
                exchange.sendResponseHeaders(401, -1);
            } else if (redirects.containsKey(path)) {
                exchange.getResponseHeaders().set("Location", redirects.get(path));
                exchange.sendResponseHeaders(307, -1);
            } else if (!content.containsKey(path)) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                send(exchange, content.get(path));
            }
        }
    }

    private void send(HttpExchange exchange, byte[] body) throws IOException {
        exchange.sendResponseHeaders(200, body.length);
        var most = tornAfter < 0 ? body.length : Math.min(tornAfter, body.length);
        exchange.getResponseBody().write(body, 0, most);
        exchange.getResponseBody().flush();
        if (stuck)
            try {
                new java.util.concurrent.CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
