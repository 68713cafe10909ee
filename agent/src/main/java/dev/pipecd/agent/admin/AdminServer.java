// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves `/healthz`, `/version` and `/metrics` to people, probes and Prometheus.
public final class AdminServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AdminServer.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PLAIN = "text/plain; charset=utf-8";

    private final HttpServer server;
    private final ExecutorService threads;

    private AdminServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /// Listens on all interfaces, as probes come from outside; port 0 is any free one.
    public static AdminServer open(
            int port, String version, HealthSource health, Supplier<String> metrics) {
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            var server = HttpServer.create(new InetSocketAddress(port), 0);
            server.setExecutor(threads);
            var opened = new AdminServer(server, threads);
            opened.route("/", exchange -> index());
            opened.route("/healthz", exchange -> health(exchange, health));
            opened.route("/version", exchange -> new Answer(200, PLAIN, version + "\n"));
            opened.route(
                    "/metrics",
                    exchange ->
                            new Answer(
                                    200,
                                    "text/plain; version=0.0.4; charset=utf-8",
                                    metrics.get()));
            server.start();
            return opened;
        } catch (IOException e) {
            threads.close();
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "admin port: %d (expected: a free port)".formatted(port),
                    "End what listens there, or start the agent with another --admin-port.",
                    e);
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }

    private static Answer index() {
        return new Answer(
                200,
                "text/html; charset=utf-8",
                """
                <!doctype html><title>piped</title><h1>piped</h1><ul>
                <li><a href="/healthz">/healthz</a>: how plugins, repositories, control plane, journal and deployments do
                <li><a href="/healthz?live">/healthz?live</a>: whether the process answers
                <li><a href="/version">/version</a>
                <li><a href="/metrics">/metrics</a>
                </ul>
                """);
    }

    private static Answer health(HttpExchange exchange, HealthSource source) throws IOException {
        var query = exchange.getRequestURI().getQuery();
        if (query != null && List.of(query.split("&", -1)).contains("live"))
            return new Answer(200, PLAIN, "ok");
        var parts = source.parts();
        var ok = parts.stream().allMatch(HealthSource.Part::ok);
        var byKind = new TreeMap<String, List<Map<String, Object>>>();
        for (var part : parts)
            byKind.computeIfAbsent(part.kind(), _ -> new java.util.ArrayList<>()).add(shown(part));
        return new Answer(ok ? 200 : 503, "application/json", json(ok, byKind));
    }

    private static Map<String, Object> shown(HealthSource.Part part) {
        var shown = new java.util.LinkedHashMap<String, Object>();
        shown.put("name", part.name());
        shown.put("ok", part.ok());
        shown.put("detail", part.detail());
        if (!part.advice().isEmpty()) shown.put("advice", part.advice());
        return shown;
    }

    private static String json(boolean ok, Map<String, List<Map<String, Object>>> parts)
            throws JsonProcessingException {
        var root = new java.util.LinkedHashMap<String, Object>();
        root.put("ok", ok);
        root.putAll(parts);
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    }

    private void route(String path, Page page) {
        server.createContext(path, exchange -> serve(exchange, path, page));
    }

    private static void serve(HttpExchange exchange, String path, Page page) throws IOException {
        try (exchange) {
            send(exchange, answer(exchange, path, page));
        }
    }

    private static Answer answer(HttpExchange exchange, String path, Page page) {
        // A context answers for everything below it as well.
        if (!exchange.getRequestURI().getPath().equals(path))
            return new Answer(404, PLAIN, "not found\n");
        if (!exchange.getRequestMethod().equals("GET")
                && !exchange.getRequestMethod().equals("HEAD"))
            return new Answer(405, PLAIN, "only GET is answered here\n");
        try {
            return page.show(exchange);
        } catch (IOException | RuntimeException e) {
            log.error("{} broke", path, e);
            return new Answer(500, PLAIN, "broken; see the agent's log\n");
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        var body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.type());
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(answer.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
    }

    private record Answer(int status, String type, String body) {}

    private interface Page {
        Answer show(HttpExchange exchange) throws IOException;
    }
}
