// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.config.PlatformNames;
import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.host.role.Described;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.wire.rules.RequestRules;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process that serves plugins: composes, starts in the order of the walk and leaves in
/// reverse.
public final class PluginHost implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PluginHost.class);
    private static final Duration REACHED_WITHIN = Duration.ofSeconds(10);
    private static final Duration LEFT_WITHIN = Duration.ofSeconds(4);

    private final HostConfig config;
    private final AgentClient agent;
    private final RequestRules rules = new RequestRules();
    private final List<PluginServer> servers = new ArrayList<>();
    private boolean attended;

    private PluginHost(HostConfig config) {
        this.config = config;
        this.agent = new AgentClient(config.agent(), config.token());
    }

    /// Runs until the agent is gone or ends the process.
    public static void serve(List<String> args, List<? extends StageOwner> plugins) {
        HostLogging.prepare();
        if (args.equals(List.of("describe"))) {
            plugins.forEach(plugin -> System.out.println(new Described(plugin).json()));
            return;
        }
        try {
            var host = open(args, plugins, InstantSource.system());
            Runtime.getRuntime().addShutdownHook(new Thread(host::close, "leave"));
            Thread.ofPlatform().daemon().name("warm-up").start(new WarmUp(host.rules, plugins));
            host.awaitEnd();
            log.warn(
                    "The agent at {} has been silent for 10 s: the host ends; scripts go on",
                    host.config.agent());
            System.exit(0);
        } catch (Problem e) {
            log.error("{}", e.told());
            System.exit(1);
        } catch (InterruptedException e) {
            System.exit(1);
        }
    }

    /// Serves the plugins that `args` name; also inside another process, for tests.
    public static PluginHost open(
            List<String> args, List<? extends StageOwner> plugins, InstantSource clock)
            throws InterruptedException {
        var config = HostConfig.of(args);
        reach(config.agent());
        var host = new PluginHost(config);
        try {
            for (var entry : config.plugins()) {
                var chosen = host.choose(plugins, entry);
                if (chosen.isEmpty()) continue;
                var plugin = chosen.get();
                var server =
                        PluginServer.open(config, entry, plugin, host.rules, host.agent, clock);
                host.servers.add(server);
                log.info("Plugin {} listens on port {}", server.name(), server.port());
            }
            host.attended = host.announce();
            return host;
        } catch (RuntimeException | InterruptedException e) {
            host.close();
            throw e;
        }
    }

    /// Whether an agent minds our signs of life: ours does, the public one does not know of them.
    private boolean announce() throws InterruptedException {
        if (config.supervised()) {
            supervision().ready(version());
            return true;
        }
        return supervision().readyIfHeard(version());
    }

    private Supervision supervision() {
        return new Supervision(agent, config.agent(), servers);
    }

    private Optional<? extends StageOwner> choose(
            List<? extends StageOwner> plugins, HostConfig.Entry entry)
            throws InterruptedException {
        if (plugins.size() == 1 && !config.supervised()) return Optional.of(plugins.getFirst());
        // The public agent tells names as people write them.
        var wanted = PlatformNames.plain(entry.builtin());
        var chosen =
                plugins.stream()
                        .filter(plugin -> PlatformNames.plain(plugin.name()).equals(wanted))
                        .findFirst();
        if (chosen.isPresent()) return chosen;
        var offered = plugins.stream().map(StageOwner::name).toList();
        if (!config.supervised())
            throw new Problem(
                    Problem.Code.PLUGIN_UNKNOWN,
                    "plugin: \"%s\" (expected: one of %s)".formatted(entry.name(), offered),
                    "Name one of them in the agent's `plugins:`.");
        supervision().notOffered(entry, offered);
        return chosen;
    }

    private static String version() {
        return Optional.ofNullable(PluginHost.class.getPackage().getImplementationVersion())
                .orElse("unreleased");
    }

    /// A wrong address is told at once, not by calls that hang later.
    private static void reach(String address) throws InterruptedException {
        var colon = address.lastIndexOf(':');
        var deadline = System.nanoTime() + REACHED_WITHIN.toNanos();
        while (true) {
            try (var socket = new Socket()) {
                var port = Integer.parseInt(address.substring(colon + 1));
                socket.connect(
                        new InetSocketAddress(address.substring(0, Math.max(0, colon)), port),
                        1000);
                return;
            } catch (IOException e) {
                if (System.nanoTime() > deadline) throw Supervision.unreachable(address);
            } catch (IllegalArgumentException e) {
                throw Supervision.unreachable(address);
            }
            AgentClient.pause(Duration.ofMillis(200));
        }
    }

    private void awaitEnd() throws InterruptedException {
        if (attended) supervision().awaitSilence();
        else Thread.currentThread().join();
    }

    @Override
    public void close() {
        try {
            for (var server : servers) server.close(LEFT_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            agent.close();
        }
    }
}
