// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/// Stands before an S3 server and makes it more like AWS: conditional writes are decided one at a
/// time (the server behind looks and then writes), and to a role that may not list a key that is
/// missing is forbidden. Or it makes it worse, by a fault.
final class S3Front implements AutoCloseable {
    private static final Set<String> OWN =
            Set.of(
                    "host",
                    "connection",
                    "content-length",
                    "expect",
                    "transfer-encoding",
                    "upgrade");

    private static final byte[] FORBIDDEN =
            "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
                    .getBytes(StandardCharsets.UTF_8);

    private final URI behind;
    private final boolean mayList;
    private final Fault fault;
    private final Lock writing = new ReentrantLock();
    private final List<String> encryption = new CopyOnWriteArrayList<>();
    private final List<String> traffic = new CopyOnWriteArrayList<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final HttpClient http = HttpClient.newHttpClient();
    private final HttpServer server;

    S3Front(URI behind, boolean mayList) throws IOException {
        this(behind, mayList, Fault.NONE);
    }

    S3Front(URI behind, boolean mayList, Fault fault) throws IOException {
        this.behind = behind;
        this.mayList = mayList;
        this.fault = fault;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::pass);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /// What was asked for with each write, and the key to it.
    List<String> encryption() {
        return List.copyOf(encryption);
    }

    /// What came between the beginning and the end of the last write of that key.
    List<String> askedDuringWriteOf(String key) {
        var all = List.copyOf(traffic);
        return all.subList(all.lastIndexOf("PUT " + key), all.lastIndexOf("written " + key));
    }

    private void pass(HttpExchange exchange) throws IOException {
        try (exchange) {
            var key = exchange.getRequestURI().getPath().replaceFirst("^/[^/]*/", "");
            traffic.add(exchange.getRequestMethod() + " " + key);
            var body = exchange.getRequestBody().readAllBytes();
            if (exchange.getRequestMethod().equals("PUT")) traffic.add("written " + key);
            var given = exchange.getRequestHeaders();
            if (exchange.getRequestMethod().equals("PUT"))
                encryption.add(
                        "%s %s"
                                .formatted(
                                        given.getFirst("x-amz-server-side-encryption"),
                                        given.getFirst(
                                                "x-amz-server-side-encryption-aws-kms-key-id")));
            if (forbids(exchange.getRequestMethod(), key)) {
                exchange.sendResponseHeaders(403, FORBIDDEN.length);
                exchange.getResponseBody().write(FORBIDDEN);
                return;
            }
            var request =
                    HttpRequest.newBuilder(behind.resolve(exchange.getRequestURI()))
                            .method(
                                    exchange.getRequestMethod(),
                                    HttpRequest.BodyPublishers.ofByteArray(body));
            exchange.getRequestHeaders()
                    .forEach((name, values) -> {
                        if (!OWN.contains(name.toLowerCase(Locale.ROOT)) && passes(name))
                            values.forEach(value -> request.header(name, value));
                    });
            var answer = answer(request.build());
            var missing = !mayList && answer.statusCode() == 404;
            answer.headers()
                    .firstValue("etag")
                    .ifPresent(tag -> exchange.getResponseHeaders().set("ETag", tag));
            var content = missing ? FORBIDDEN : answer.body();
            exchange.sendResponseHeaders(
                    missing ? 403 : answer.statusCode(), content.length == 0 ? -1 : content.length);
            if (content.length > 0) exchange.getResponseBody().write(content);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Refuses all writes of that key.
    void refuse(String key) {
        refused.add(key);
    }

    private boolean forbids(String method, String key) {
        return switch (method) {
            case "PUT" -> fault == Fault.FORBIDS_WRITING || refused.contains(key);
            case "GET" -> fault == Fault.FORBIDS_READING;
            default -> false;
        };
    }

    private boolean passes(String header) {
        return fault != Fault.IGNORES_CONDITIONS
                || !header.toLowerCase(Locale.ROOT).startsWith("if-");
    }

    private HttpResponse<byte[]> answer(HttpRequest request)
            throws IOException, InterruptedException {
        if (!request.method().equals("PUT"))
            return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        writing.lock();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        http.close();
    }

    enum Fault {
        NONE,
        FORBIDS_WRITING,
        FORBIDS_READING,
        /// As stores do that do not know conditional writes.
        IGNORES_CONDITIONS
    }
}
