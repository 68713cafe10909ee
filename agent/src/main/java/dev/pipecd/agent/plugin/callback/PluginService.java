// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.callback;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.rules.RequestRules;
import dev.pipecd.wire.rules.RequestRulesInterceptor;
import io.grpc.Attributes;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Where plugins call their agent: this machine only, those it started only.
public final class PluginService implements AutoCloseable {
    /// Whether the holder of a connection is known to be a plugin of ours.
    static final Attributes.Key<AtomicBoolean> VERDICT = Attributes.Key.create("verdict");

    private final Server server;

    private PluginService(Server server) {
        this.server = server;
    }

    public static PluginService open(
            int port, CallerGate gate, Executor executor, List<BindableService> doors) {
        var builder =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                        .executor(executor);
        doors.forEach(builder::addService);
        // The last one added is asked first: who it is, before what it says.
        builder.intercept(new RequestRulesInterceptor(new RequestRules()));
        builder.intercept(new EmptyLines());
        builder.intercept(new SeenOrders());
        builder.intercept(gate);
        builder.addTransportFilter(new Verdicts());
        try {
            return new PluginService(builder.build().start());
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "plugin service port: %d (expected: a free port)".formatted(port),
                    "End what listens there, or start the agent with another"
                            + " --plugin-service-port; 0 takes any free one.",
                    e);
        }
    }

    public int port() {
        return server.getPort();
    }

    @Override
    public void close() {
        try {
            if (!server.shutdown().awaitTermination(500, TimeUnit.MILLISECONDS))
                server.shutdownNow();
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private static final class Verdicts extends ServerTransportFilter {
        @Override
        public Attributes transportReady(Attributes connection) {
            return connection.toBuilder().set(VERDICT, new AtomicBoolean()).build();
        }
    }
}
