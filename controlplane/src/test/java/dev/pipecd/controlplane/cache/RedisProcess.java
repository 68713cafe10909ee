// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;
import redis.embedded.RedisServer;

/// A real Redis: a process on a free port.
public final class RedisProcess implements AutoCloseable {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final int port;
    private final RedisServer server;

    /// @param settings further lines of its configuration
    public RedisProcess(String... settings) {
        this(started(settings));
    }

    RedisProcess(int port, String... settings) {
        this(started(port, settings));
    }

    private RedisProcess(Started started) {
        port = started.port();
        server = started.server();
    }

    private static Started started(String... settings) {
        for (var attempt = 1; ; attempt++) {
            try {
                return started(freePort(), settings);
            } catch (UncheckedIOException e) {
                if (attempt == 3) throw e; // else somebody else may have taken the port
            }
        }
    }

    private static Started started(int port, String... settings) {
        try {
            var builder = RedisServer.newRedisServer().port(port).bind("127.0.0.1");
            for (var line : settings) builder.setting(line);
            var server = builder.build();
            server.start();
            return new Started(port, server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Running {
        static final RedisProcess SHARED = start();

        private static RedisProcess start() {
            var shared = new RedisProcess();
            Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
            return shared;
        }
    }

    /// A database that no other test uses, and not 0, of one process for all tests of this JVM.
    public static String database() {
        return "redis://127.0.0.1:%d/%d"
                .formatted(Running.SHARED.port, DATABASES.getAndIncrement() % 15 + 1);
    }

    static int sharedPort() {
        return Running.SHARED.port;
    }

    public int port() {
        return port;
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Started(int port, RedisServer server) {}
}
