// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/// A server that knows a few answers and remembers what it was asked.
final class SmallServer implements AutoCloseable {
    record Asked(String path, Map<String, List<String>> headers, String body) {
        String header(String name) {
            return String.join(",", headers.getOrDefault(name, List.of()));
        }

        Map<String, String> form() {
            var fields = new LinkedHashMap<String, String>();
            for (var field : body.split("&", -1)) {
                var parts = field.split("=", 2);
                fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
            }
            return fields;
        }
    }

    private final HttpServer server;
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final Map<String, String> answers = new LinkedHashMap<>();
    private int status = 200;

    SmallServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    asked.add(
                            new Asked(
                                    path,
                                    Map.copyOf(exchange.getRequestHeaders()),
                                    new String(
                                            exchange.getRequestBody().readAllBytes(),
                                            StandardCharsets.UTF_8)));
                    var body = answers.getOrDefault(path, "").getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
                    if (body.length > 0) exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
    }

    SmallServer answer(String path, String body) {
        answers.put(path, body);
        return this;
    }

    SmallServer refuse(int with) {
        status = with;
        return this;
    }

    String authority() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    String address() {
        return "http://" + authority();
    }

    List<Asked> asked() {
        return asked;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
