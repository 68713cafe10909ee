// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.agent.plugin.PluginSettings.Timing;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps one plugin host alive: starts it, listens for its signs of life, starts it again.
final class HostSupervisor implements SupervisionDoor.Listener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HostSupervisor.class);
    private static final long LOOK_EVERY_MS = 200;
    private static final int LONGEST_LINE = 300;

    private final HostFiles files;
    private final PluginDialer dialer;
    private final List<PipedConfig.Plugin> plugins;
    private final Map<String, PluginLine> lines;
    private final Timing timing;
    private final Restarts restarts;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Set<String> ready = new HashSet<>();
    private @Nullable ProcessGroup host;
    private @Nullable Thread thread;
    private volatile long signOfLife;

    HostSupervisor(
            HostFiles files,
            PluginDialer dialer,
            List<PipedConfig.Plugin> plugins,
            Map<String, PluginLine> lines,
            Timing timing) {
        this.files = files;
        this.dialer = dialer;
        this.plugins = List.copyOf(plugins);
        this.lines = Map.copyOf(lines);
        this.timing = timing;
        this.restarts = new Restarts(timing);
    }

    void start(List<String> argv) {
        thread = Thread.ofVirtual().name("plugin-supervisor").start(() -> supervise(argv));
    }

    @Override
    public void ready(String plugin, String version, int port) {
        var line = lines.get(plugin);
        if (line == null)
            throw new Problem(
                    Problem.Code.PLUGIN_UNKNOWN,
                    "plugin: \"%s\" (expected: one of %s)".formatted(plugin, lines.keySet()),
                    "");
        var connection = dialer.dial(port);
        synchronized (this) {
            // A host that died while it said this is not taken for its successor.
            if (host == null || !host.process().isAlive()) {
                connection.channel().shutdownNow();
                return;
            }
            line.up(connection.channel(), version, connection.stages());
            ready.add(plugin);
            ping();
        }
        log.info(
                "plugin is ready name={} version={} stages={}",
                plugin,
                version,
                connection.stages());
    }

    @Override
    public void ping() {
        signOfLife = System.nanoTime();
    }

    private void supervise(List<String> argv) {
        try {
            endLeftBehind();
            while (closing.getCount() > 0) {
                var began = System.nanoTime();
                var end = runGuarded(argv);
                if (closing.getCount() == 0) return;
                settle(end, began);
            }
        } catch (InterruptedException e) {
            log.debug("plugin supervision is interrupted", e);
        }
    }

    private void endLeftBehind() {
        try {
            files.endLeftBehind();
        } catch (IOException e) {
            log.warn("a plugin host of an earlier run cannot be looked for; it ends by itself", e);
        }
    }

    /// Tells why the host ended, and waits before it is started again.
    private void settle(End end, long began) throws InterruptedException {
        var pause = restarts.afterEnd(began, System.nanoTime(), end.wasReady());
        var hopeless = restarts.hopeless();
        var why =
                hopeless
                        ? "the plugin host ends again and again; last: " + end.why()
                        : "the plugin host %s and is started again".formatted(end.why());
        var advice =
                hopeless
                        ? "Read the `plugin-host` lines of the agent's log and mend the cause; it is"
                                + " tried again every %d s.".formatted(pause.toSeconds())
                        : "";
        lines.values().forEach(line -> line.down(why, advice, hopeless));
        log.warn(
                "plugin host {} next-start-in={}ms last-lines={} {}",
                end.why(),
                pause.toMillis(),
                end.lastLines(),
                advice);
        var _ = closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// Whatever breaks in here, supervision goes on: without it no plugin ever comes back.
    private End runGuarded(List<String> argv) throws InterruptedException {
        try {
            return run(argv);
        } catch (RuntimeException e) {
            log.error("supervision of the plugin host broke", e);
            return new End("cannot be supervised: " + e, List.of(), false);
        }
    }

    private End run(List<String> argv) throws InterruptedException {
        ProcessGroup group;
        try {
            files.writeConfig(dialer.token(), plugins);
            synchronized (this) {
                if (closing.getCount() == 0) return new End("was not started", List.of(), false);
                ready.clear();
                group = ProcessGroup.start(argv, Map.of(), Set.of());
                host = group;
                ping();
            }
            files.remember(group.id());
        } catch (IOException e) {
            return new End("cannot be started: " + e, List.of(), false);
        }
        var output = new HostOutput(group.process());
        try {
            var hung = watch(group);
            group.kill();
            var exit = group.process().waitFor();
            var last = output.lastLines();
            var why = hung.isEmpty() ? exited(exit, argv, last) : hung;
            return new End(why, last, isReady());
        } finally {
            group.kill();
            synchronized (this) {
                host = null;
            }
        }
    }

    /// Comes back when the host has ended, or with the reason why it must be ended.
    private String watch(ProcessGroup group) throws InterruptedException {
        var began = System.nanoTime();
        while (!group.process().waitFor(LOOK_EVERY_MS, TimeUnit.MILLISECONDS)) {
            var now = System.nanoTime();
            if (!isReady() && now - began > timing.readyWithin().toNanos())
                return "was not ready within %d s".formatted(timing.readyWithin().toSeconds());
            if (isReady() && now - signOfLife > timing.silence().toNanos())
                return "gave no sign of life for %d s".formatted(timing.silence().toSeconds());
        }
        return "";
    }

    private static String exited(int exit, List<String> argv, List<String> last) {
        if (exit > 128) return "was killed by signal " + (exit - 128);
        var how = "ended with exit code " + exit;
        // 126 and 127: the program itself could not be run.
        if (exit == 126 || exit == 127)
            return how + " " + new Executable(argv.getFirst()).described();
        return last.isEmpty() ? how : how + ": \"" + brief(last.getLast()) + "\"";
    }

    private static String brief(String line) {
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE) + "…";
    }

    private synchronized boolean isReady() {
        return ready.size() == lines.size();
    }

    /// Asks the host to leave, then kills what is left of it.
    @Override
    public void close() {
        ProcessGroup running;
        synchronized (this) {
            closing.countDown();
            running = host;
        }
        if (running != null) running.end(timing.grace());
        try {
            if (thread != null) thread.join();
            files.forget();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.warn("files of the plugin host stay behind", e);
        }
    }

    /// How a run of the host ended.
    private record End(String why, List<String> lastLines, boolean wasReady) {}
}
