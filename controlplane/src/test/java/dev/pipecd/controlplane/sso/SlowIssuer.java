// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// An issuer on loopback that answers at once, or begins an answer and never ends it.
final class SlowIssuer implements AutoCloseable {
    final AtomicInteger asked = new AtomicInteger();
    volatile boolean broken;

    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    SlowIssuer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    URI at(String path) {
        return URI.create(url() + path);
    }

    private void handle(HttpExchange call) throws IOException {
        asked.incrementAndGet();
        try (call) {
            if (broken) {
                call.sendResponseHeaders(500, -1);
                return;
            }
            var text =
                    "{\"issuer\":\"%1$s\",\"authorization_endpoint\":\"%1$s/authorize\"}"
                            .formatted(url())
                            .getBytes(UTF_8);
            call.sendResponseHeaders(200, text.length);
            call.getResponseBody().write(text, 0, 1);
            call.getResponseBody().flush();
            if (call.getRequestURI().getPath().equals("/slow")) end.await();
            call.getResponseBody().write(text, 1, text.length - 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.close();
    }
}
