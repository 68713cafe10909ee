// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;

/// Tells the agent that its plugins are up, and notices when there is no agent any more.
final class Supervision {
    private static final Duration BEAT = Duration.ofSeconds(2);
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /// The first call loads everything it needs, on a machine that may be starting other things.
    private static final Duration STARTING = Duration.ofMinutes(1);

    private final AgentClient agent;
    private final String address;
    private final List<PluginServer> plugins;

    Supervision(AgentClient agent, String address, List<PluginServer> plugins) {
        this.agent = agent;
        this.address = address;
        this.plugins = List.copyOf(plugins);
    }

    void ready(String version) throws InterruptedException {
        for (var plugin : plugins) untilAnswered(() -> agent.ready(plugin, version));
    }

    /// The same for an agent that may be the public one, which refuses what it does not know. One
    /// that does not answer yet is asked again: it may be ours, and mind our signs of life.
    boolean readyIfHeard(String version) throws InterruptedException {
        try {
            for (var plugin : plugins) untilTrue(() -> heard(() -> agent.ready(plugin, version)));
            return true;
        } catch (StatusRuntimeException refused) {
            return false;
        }
    }

    private static boolean heard(Runnable call) throws InterruptedException {
        try {
            call.run();
            return true;
        } catch (StatusRuntimeException e) {
            if (Thread.interrupted()) throw new InterruptedException();
            if (!AgentClient.passes(e.getStatus())) throw e;
            return false;
        }
    }

    /// One wrong name must not take the other plugins with it.
    void notOffered(HostConfig.Entry entry, List<String> offered) throws InterruptedException {
        untilAnswered(() -> agent.notOffered(entry.name(), entry.builtin(), offered));
    }

    private void untilAnswered(Runnable call) throws InterruptedException {
        untilTrue(() -> answered(call));
    }

    private interface Attempt {
        boolean succeeds() throws InterruptedException;
    }

    private void untilTrue(Attempt attempt) throws InterruptedException {
        var deadline = System.nanoTime() + STARTING.toNanos();
        while (!attempt.succeeds()) {
            if (System.nanoTime() > deadline) throw unreachable(address);
            AgentClient.pause(Duration.ofMillis(200));
        }
    }

    /// Comes back when the agent has been silent for too long. They share one process: a sign of
    /// life of one is that of all, and each gives one in its turn.
    void awaitSilence() throws InterruptedException {
        var last = System.nanoTime();
        for (var turn = 0; System.nanoTime() - last < SILENCE.toNanos(); turn++) {
            AgentClient.pause(BEAT);
            // None at all: all that was asked for is not offered here.
            if (plugins.isEmpty()) continue;
            var plugin = plugins.get(turn % plugins.size());
            if (answered(() -> agent.ping(plugin.name()))) last = System.nanoTime();
        }
    }

    private boolean answered(Runnable call) throws InterruptedException {
        try {
            call.run();
            return true;
        } catch (StatusRuntimeException e) {
            if (Thread.interrupted()) throw new InterruptedException();
            if (e.getStatus().getCode() == Status.Code.UNAUTHENTICATED)
                throw new Problem(
                        Problem.Code.UNAUTHENTICATED,
                        "agent: "
                                + address
                                + " refuses this host's token (expected: the agent that started it)",
                        "Another agent took the address; it starts plugins of its own.");
            return false;
        }
    }

    static Problem unreachable(String address) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "--piped-plugin-service: " + address + " (expected: an agent that answers there)",
                "Plugins are started by the agent; check that it runs and that the address is its plugin service.");
    }
}
