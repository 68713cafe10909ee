// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.plugin.supervision.SourceUse;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The way to one plugin: there while its process is ready, waited for while it restarts.
public final class PluginLine {
    /// Where a stage's name stands otherwise: what is read while a deployment is planned.
    public static final String PLANNING = "";

    private final String name;
    private final String logName;
    private final Notifier notifier;
    private final Changes changes;
    private State state = new State.Down("starting", "", false);
    private List<String> stages = List.of();
    private boolean wasUp;
    private Map<String, SourceUse> reads = Map.of();
    private boolean givenUp;
    private boolean missing;

    /// Whether the plugin can be called.
    private sealed interface State {
        record Up(ManagedChannel channel, String version) implements State {}

        record Down(String why, String advice, boolean hopeless) implements State {}

        record Closed() implements State {}
    }

    /// @param logName under which name its process speaks in the agent's log
    /// @param changes of this line and the others
    public PluginLine(String name, String logName, Notifier notifier, Changes changes) {
        this.name = name;
        this.logName = logName;
        this.notifier = notifier;
        this.changes = changes;
    }

    public String name() {
        return name;
    }

    synchronized void up(ManagedChannel channel, String version, List<String> offered) {
        if (state instanceof State.Closed) {
            channel.shutdownNow();
            return;
        }
        hangUp();
        stages = List.copyOf(offered);
        wasUp = true;
        missing = false;
        state = new State.Up(channel, version);
        tellThoseWhoWait();
    }

    /// It was up for long enough to be believed: one that hangs again soon is not healthy.
    synchronized void recovered() {
        if (!givenUp || !(state instanceof State.Up)) return;
        givenUp = false;
        notifier.tell(new Event.PluginHealthy(name));
    }

    /// What is being done about a plugin that is down.
    public void doing(String what) {
        doing(what, "");
    }

    synchronized void doing(String what, String advice) {
        if (state instanceof State.Down(_, _, var hopeless))
            state = new State.Down(what, advice, hopeless);
    }

    /// Calls under way break off with UNAVAILABLE.
    public synchronized void down(String why, String advice, boolean hopeless) {
        if (state instanceof State.Closed) return;
        hangUp();
        state = new State.Down(why, advice, hopeless);
        tellThoseWhoWait();
        if (hopeless && !givenUp) {
            givenUp = true;
            notifier.tell(new Event.PluginUnhealthy(name, why, advice));
        }
    }

    /// It lives and told its stages, but answers nothing before its configuration is mended.
    synchronized void refuses(List<String> offered, String why, String advice) {
        if (state instanceof State.Closed) return;
        stages = List.copyOf(offered);
        wasUp = true;
        missing = false;
        down(why, advice, true);
    }

    /// There is no such plugin, and there will be none before another version of the agent.
    synchronized void missing(String why, String advice) {
        missing = true;
        down(why, advice, true);
    }

    public synchronized boolean isMissing() {
        return missing;
    }

    /// The agent stops: whoever waits or calls is detached, which says nothing about their stage.
    public synchronized void close() {
        hangUp();
        state = new State.Closed();
        tellThoseWhoWait();
    }

    private synchronized void tellThoseWhoWait() {
        notifyAll();
        changes.happened();
    }

    private void hangUp() {
        if (state instanceof State.Up(var channel, _)) channel.shutdownNow();
    }

    /// What the process before said says nothing of the next one, which may be another program.
    synchronized void startsAnew() {
        reads = Map.of();
    }

    public synchronized void reads(Map<String, SourceUse> uses) {
        reads = Map.copyOf(uses);
    }

    /// What a stage, or `PLANNING`, reads of the sources, as far as the plugin says.
    public synchronized SourceUse reads(String stage) {
        return reads.getOrDefault(stage, SourceUse.SOURCE_USE_EVERYTHING);
    }

    /// The stages it offered when it was last up.
    public synchronized List<String> stages() {
        return stages;
    }

    /// What it offers is known; before its first start it is not.
    public synchronized boolean wasUp() {
        return wasUp;
    }

    /// A channel to the plugin, waited for while its process restarts; a `Problem` when it does not
    /// come.
    public synchronized ManagedChannel await(Duration patience) throws InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            switch (state) {
                case State.Up(var channel, _) -> {
                    return channel;
                }
                case State.Down(var why, var advice, var hopeless) -> {
                    var left = deadline - System.nanoTime();
                    if (hopeless || left <= 0) throw unavailable(why, advice);
                    wait(Math.max(1, left / 1_000_000));
                }
                case State.Closed() -> throw new InterruptedException("the agent stops");
            }
        }
    }

    /// Whether nobody need wait any longer to know how it is: it is up, or given up.
    public synchronized boolean isSettled() throws InterruptedException {
        return switch (state) {
            case State.Up _ -> true;
            case State.Down(_, _, var hopeless) -> hopeless;
            case State.Closed() -> throw new InterruptedException("the agent stops");
        };
    }

    public String logName() {
        return logName;
    }

    private Problem unavailable(String why, String advice) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "plugin %s: %s (expected: a plugin that answers)".formatted(name, why),
                advice.isEmpty()
                        ? "See `%s` in the agent's log; /healthz shows when it is back."
                                .formatted(logName)
                        : advice);
    }

    public synchronized PluginHealth health() {
        return switch (state) {
            case State.Up(_, var version) ->
                    new PluginHealth(
                            name,
                            true,
                            "ready, version %s, stages %s".formatted(version, stages),
                            "");
            case State.Down(var why, var advice, _) -> new PluginHealth(name, false, why, advice);
            case State.Closed() -> new PluginHealth(name, false, "the agent stops", "");
        };
    }
}
