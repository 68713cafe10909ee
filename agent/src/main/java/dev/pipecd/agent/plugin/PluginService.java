// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.rules.RequestRules;
import dev.pipecd.wire.rules.RequestRulesInterceptor;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/// Where plugins call their agent: this machine only, with the token only.
final class PluginService implements AutoCloseable {
    private final Server server;

    private PluginService(Server server) {
        this.server = server;
    }

    static PluginService open(
            int port, String token, Executor executor, List<BindableService> doors) {
        var builder =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                        .executor(executor);
        doors.forEach(builder::addService);
        // The last one added is asked first: who it is, before what it says.
        builder.intercept(new RequestRulesInterceptor(new RequestRules()));
        builder.intercept(new TokenGate(token));
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

    String address() {
        return "127.0.0.1:" + server.getPort();
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
}
