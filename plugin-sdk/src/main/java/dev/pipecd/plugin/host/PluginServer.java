// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.role.Described;
import dev.pipecd.plugin.host.role.LiveStateDoor;
import dev.pipecd.plugin.host.role.PlanPreviewDoor;
import dev.pipecd.plugin.host.role.Served;
import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.wire.rules.RequestRules;
import dev.pipecd.wire.rules.RequestRulesInterceptor;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One plugin on its port.
final class PluginServer {
    private static final Logger log = LoggerFactory.getLogger(PluginServer.class);
    private static final Duration LAST_ANSWERS = Duration.ofMillis(200);

    private final String name;
    private final StageOwner plugin;
    private final StageCalls calls;
    private final Server server;
    private final List<String> mistakes;

    private PluginServer(
            String name,
            StageOwner plugin,
            StageCalls calls,
            Server server,
            List<String> mistakes) {
        this.name = name;
        this.plugin = plugin;
        this.calls = calls;
        this.server = server;
        this.mistakes = List.copyOf(mistakes);
    }

    static PluginServer open(
            HostConfig config,
            HostConfig.Entry entry,
            StageOwner plugin,
            RequestRules rules,
            AgentClient agent,
            InstantSource clock) {
        var state = StateDirectory.of(config.stateDirectory(), entry.name());
        var served =
                new Served(
                        plugin,
                        entry.name(),
                        entry.deployTargets(),
                        application -> new HostedSurroundings(entry, agent, application));
        var calls = new StageCalls(new StageEdge(served, state, agent, clock), plugin.leftBehind());
        calls.sweep();
        var mistakes = mistakes(config, entry, plugin);
        var server =
                builder(config, entry.port())
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .addService(new DeploymentDoor(served, calls, clock))
                        .addService(new ControlDoor(calls))
                        .addService(new Described(plugin))
                        .addService(new HealthStatusManager().getHealthService())
                        // The last one added is asked first.
                        .intercept(new RequestRulesInterceptor(rules))
                        .intercept(new Gate(config.token(), mistakes));
        // What a plugin does not do has no service: the agent hears UNIMPLEMENTED, as it does of
        // others.
        LiveStateDoor.of(served, clock).forEach(server::addService);
        PlanPreviewDoor.of(served).forEach(server::addService);
        try {
            return new PluginServer(entry.name(), plugin, calls, server.build().start(), mistakes);
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "port: " + entry.port() + " (expected: a free port)",
                    "Another process listens there; end it or change the plugin's `port`.",
                    e);
        }
    }

    /// On this machine only: who else could reach the port could run stages. Agents of the public
    /// protocol show no token and dial `localhost`, which is either address.
    private static NettyServerBuilder builder(HostConfig config, int port) {
        var server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port));
        if (config.supervised() || port == 0) return server;
        try {
            var other = InetAddress.getByName("::1");
            if (NetworkInterface.getByInetAddress(other) != null)
                server.addListenAddress(new InetSocketAddress(other, port));
        } catch (IOException e) {
            log.debug("There is no ::1", e);
        }
        return server;
    }

    /// A plugin alone in its process does not start with a wrong configuration; among others it
    /// must not take them with it.
    private static List<String> mistakes(
            HostConfig config, HostConfig.Entry entry, StageOwner plugin) {
        var mistakes = HostedSurroundings.mistakes(entry, plugin);
        if (mistakes.isEmpty()) {
            for (var unknown : HostedSurroundings.passedOver(entry, plugin))
                log.warn(
                        "plugin {}: {}. It is passed over; correct it in the agent's `plugins:`.",
                        entry.name(),
                        unknown);
            return mistakes;
        }
        var problem =
                new Problem(
                        Problem.Code.SETTING_INVALID,
                        "plugin " + entry.name() + ": " + String.join("; ", mistakes),
                        "Correct it in the agent's `plugins:`.");
        if (!config.supervised()) throw problem;
        log.error("{}", problem.told());
        return mistakes;
    }

    String name() {
        return name;
    }

    /// What of its configuration does not fit.
    List<String> mistakes() {
        return mistakes;
    }

    /// What its stages read, every one of those it runs, and by the empty name what it reads to
    /// plan: who has no opinion on a plan reads nothing for it.
    Map<String, Reads> reads() {
        var reads = new HashMap<String, Reads>();
        reads.put("", plugin instanceof DeploymentPlugin ? Reads.EVERYTHING : Reads.NOTHING);
        Described.stages(plugin).forEach((name, stage) -> reads.put(name, stage.reads()));
        return reads;
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
