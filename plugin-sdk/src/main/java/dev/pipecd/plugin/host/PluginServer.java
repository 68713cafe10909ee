// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.wire.rules.RequestRules;
import dev.pipecd.wire.rules.RequestRulesInterceptor;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// One plugin on its port.
final class PluginServer {
    private static final Duration LAST_ANSWERS = Duration.ofMillis(200);

    private final String name;
    private final StageCalls calls;
    private final Server server;

    private PluginServer(String name, StageCalls calls, Server server) {
        this.name = name;
        this.calls = calls;
        this.server = server;
    }

    static PluginServer open(
            HostConfig config,
            HostConfig.Entry entry,
            StagePlugin plugin,
            RequestRules rules,
            AgentClient agent,
            InstantSource clock) {
        var state = StateDirectory.of(config.stateDirectory(), entry.name());
        state.sweep(clock.instant());
        var edge = new StageEdge(entry.name(), entry.deployTargets(), state, agent, clock);
        var calls = new StageCalls(edge, plugin.leftBehind());
        // Without a token the plugin is started by an agent that reaches it as the public protocol
        // has it.
        var address =
                config.supervised()
                        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), entry.port())
                        : new InetSocketAddress(entry.port());
        var server =
                NettyServerBuilder.forAddress(address)
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .addService(new DeploymentDoor(plugin, calls, clock))
                        .addService(new ControlDoor(calls))
                        .addService(new HealthStatusManager().getHealthService())
                        // The last one added is asked first.
                        .intercept(new RequestRulesInterceptor(rules))
                        .intercept(new Gate(config.token()))
                        .build();
        try {
            return new PluginServer(entry.name(), calls, server.start());
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "port: " + entry.port() + " (expected: a free port)",
                    "Another process listens there; end it or change the plugin's `port`.",
                    e);
        }
    }

    String name() {
        return name;
    }

    int port() {
        return server.getPort();
    }

    /// Takes no more calls, lets stages go, and ends.
    void close(Duration bound) throws InterruptedException {
        var until = System.nanoTime() + bound.toNanos();
        server.shutdown();
        calls.leave(bound);
        // An answer that is cut off arrives as CANCELLED, which nobody takes for "call again".
        var left = Math.max(LAST_ANSWERS.toNanos(), until - System.nanoTime());
        if (!server.awaitTermination(left, TimeUnit.NANOSECONDS)) server.shutdownNow();
    }
}
