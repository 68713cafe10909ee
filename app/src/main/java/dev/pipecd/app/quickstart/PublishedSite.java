// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;

/// Serves what the sample `site` has published: the folder that the link `current` names at the
/// moment of asking.
final class PublishedSite implements AutoCloseable {
    private static final String NOTHING_YET =
            "Nothing is published yet: approve a deployment of the application `site`.\n";

    private final HttpServer server;

    private PublishedSite(HttpServer server) {
        this.server = server;
    }

    static PublishedSite serve(Path published, int port) throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> answer(exchange, published.resolve("current")));
        server.start();
        return new PublishedSite(server);
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private static void answer(HttpExchange exchange, Path current) throws IOException {
        try (exchange) {
            var file = file(current, exchange.getRequestURI().getPath());
            var body =
                    file.isPresent()
                            ? Files.readAllBytes(file.get())
                            : NOTHING_YET.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders()
                    .set("Content-Type", file.map(PublishedSite::type).orElse("text/plain"));
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(file.isPresent() ? 200 : 404, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static Optional<Path> file(Path current, String path) throws IOException {
        if (!Files.isDirectory(current)) return Optional.empty();
        var root = current.toRealPath();
        var named = root.resolve(path.substring(1)).normalize();
        var file = Files.isDirectory(named) ? named.resolve("index.html") : named;
        // Neither `..` nor a link may lead out of what was published.
        if (!Files.isRegularFile(file) || !file.toRealPath().startsWith(root))
            return Optional.empty();
        return Optional.of(file);
    }

    private static String type(Path file) {
        var guess =
                Objects.requireNonNullElse(
                        URLConnection.guessContentTypeFromName(file.toString()),
                        "application/octet-stream");
        return guess.startsWith("text/") ? guess + "; charset=utf-8" : guess;
    }
}
