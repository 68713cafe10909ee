// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/// A server that keeps what it is sent and answers as it is told, with 200 when it is told nothing.
final class SmallReceiver implements AutoCloseable {
    final List<Got> got = new CopyOnWriteArrayList<>();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final HttpServer server;

    record Got(String path, Map<String, List<String>> headers, String body) {
        String header(String name) {
            return String.join(",", headers.getOrDefault(name, List.of()));
        }
    }

    sealed interface Answer {}

    record Says(int status, Map<String, String> headers, String body) implements Answer {
        Says(int status) {
            this(status, Map.of(), "");
        }
    }

    /// Nothing at all.
    record Hangs() implements Answer {}

    /// A beginning, and never an end.
    record Trickles() implements Answer {}

    SmallReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    String url(String path) {
        return "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path);
    }

    SmallReceiver then(Answer... next) {
        answers.addAll(List.of(next));
        return this;
    }

    List<String> bodies() {
        return got.stream().map(Got::body).toList();
    }

    private void answer(HttpExchange exchange) throws IOException {
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        var next = answers.poll();
        got.add(
                new Got(
                        exchange.getRequestURI().getPath(),
                        Map.copyOf(exchange.getRequestHeaders()),
                        body));
        try (exchange) {
            switch (next == null ? new Says(200) : next) {
                case Says(var status, var headers, var text) -> {
                    headers.forEach(exchange.getResponseHeaders()::set);
                    var bytes = text.getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
                    if (bytes.length > 0) exchange.getResponseBody().write(bytes);
                }
                case Hangs() -> closed.await();
                case Trickles() -> {
                    exchange.sendResponseHeaders(200, 1000);
                    exchange.getResponseBody().write('o');
                    exchange.getResponseBody().flush();
                    closed.await();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
    }
}
