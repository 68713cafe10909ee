// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.agent.plugin.supervise.PluginDialer.Connection;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.agent.process.SocketOwners;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A plugin of somebody else: started as the public contract says, and asked whether it lives.
public final class ExternalProgram implements Program {
    private final PipedConfig.Plugin plugin;
    private final Binary binary;
    private final Supplier<String> agent;
    private final PluginDialer dialer;
    private final ProcessFiles files;
    private final Duration askedEvery;
    private int port;
    private String version = "";
    private @Nullable Connection connection;
    private long asked;

    /// @param agent where plugins call the agent
    /// @param askedEvery public plugins log each question: not more of them than are needed
    public ExternalProgram(
            PipedConfig.Plugin plugin,
            Binary binary,
            Supplier<String> agent,
            PluginDialer dialer,
            ProcessFiles files,
            Duration askedEvery) {
        this.plugin = plugin;
        this.binary = binary;
        this.agent = agent;
        this.dialer = dialer;
        this.files = files;
        this.askedEvery = askedEvery;
    }

    /// Finds the program of the plugin on this machine, fetched if need be.
    public interface Binary {
        Found find() throws IOException, InterruptedException;
    }

    /// @param version tells two programs of one plugin apart
    public record Found(Path program, String version) {}

    @Override
    public String title() {
        return "the plugin";
    }

    @Override
    public String logName() {
        return "plugin." + plugin.name();
    }

    @Override
    public ProcessFiles files() {
        return files;
    }

    @Override
    public List<String> prepare() throws IOException, InterruptedException {
        connection = null;
        var found = binary.find();
        new Executable(found.program().toString()).refuseOtherMachine();
        version = found.version();
        port = freePort();
        return List.of(
                found.program().toString(),
                "start",
                "--piped-plugin-service",
                agent.get(),
                "--config",
                ContractJson.of(plugin, found.program(), port));
    }

    /// The plugin would only say that it cannot listen; who stands in its way might even be talked
    /// to.
    private int freePort() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(plugin.port()));
            return socket.getLocalPort();
        } catch (java.net.BindException e) {
            throw new Problem(
                    Problem.Code.PLUGIN_UNAVAILABLE,
                    "port: %d of plugin %s is in use by another process (expected: a free port)"
                            .formatted(plugin.port(), plugin.name()),
                    "End what listens there, or give the plugin another `port`; 0 takes any free one.",
                    e);
        }
    }

    @Override
    public void look(ProcessGroup process, Supervisor supervisor) {
        var known = connection;
        if (known == null) {
            // Only the process we started is talked to, whoever else may listen there.
            if (!SocketOwners.listens(process.id(), port)) return;
            dialer.dialOther(port)
                    .ifPresent(dialled -> {
                        connection = dialled;
                        asked = System.nanoTime();
                        supervisor.up(plugin.name(), version, dialled);
                    });
        } else if (System.nanoTime() - asked > askedEvery.toNanos()) {
            if (Pulse.beats(known.channel())) supervisor.ping();
            asked = System.nanoTime();
        }
    }
}
