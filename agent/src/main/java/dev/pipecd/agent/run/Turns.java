// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.process.Room;
import dev.pipecd.agent.process.Together;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.engine.Observation;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;

/// Who goes on: of an application one at a time, those of a chain when their block has come, and
/// all as far as there is room.
final class Turns {
    /// Who has begun had its turn before, and has it still; what is stopped or rolled back goes
    /// before all.
    static final Comparator<DeploymentRun> BEGUN_FIRST =
            Comparator.comparingInt(run -> place(run.state()));

    /// Each took 27 KB of the heap, twice as much while the control plane was away, as measured
    /// before they shared buffers.
    static final int AT_ONCE = 1_000;

    private static final int BYTES_EACH = 96 << 10;

    /// Read without the lock: whoever asks must not wait for a disk.
    private final Map<DeploymentId, DeploymentRun> all = new ConcurrentHashMap<>();

    private final Map<ApplicationId, Deque<DeploymentRun>> waiting = new ConcurrentHashMap<>();
    private final Room<DeploymentRun> room;
    private final ChainWait chained;
    private volatile boolean closed;

    /// @param again told when there is room again, after there was none
    Turns(Gate gate, Machine machine, Runnable again) {
        this.room = new Room<>(AT_ONCE, spare(), this::resting, again);
        this.chained = new ChainWait(gate, machine, this::chainHasCome);
    }

    /// As the memory has it.
    private static int spare() {
        var fit = Runtime.getRuntime().maxMemory() / BYTES_EACH - AT_ONCE;
        return (int) Math.clamp(fit, 0, 100 * AT_ONCE);
    }

    private static int place(DeploymentState state) {
        return switch (state) {
            case DeploymentState.Halting _,
                    DeploymentState.RollingBack _,
                    DeploymentState.AbortingRollback _ ->
                    0;
            case DeploymentState.Planned _, DeploymentState.Running _, DeploymentState.Finished _ ->
                    1;
            case DeploymentState.Pending _ -> 2;
        };
    }

    private int resting() {
        return (int) all.values().stream().filter(Turns::rests).count();
    }

    private static boolean rests(DeploymentRun run) {
        if (!(run.state() instanceof DeploymentState.Running(var plan, var progress, _)))
            return false;
        var active = progress.active().keySet();
        return !active.isEmpty()
                && active.stream().allMatch(stage -> Plugins.onlyWaits(plan.stage(stage).name()));
    }

    Collection<DeploymentRun> all() {
        return all.values();
    }

    Optional<DeploymentRun> find(DeploymentId id) {
        return Optional.ofNullable(all.get(id));
    }

    /// For how many more there is room.
    int room() {
        return room.left();
    }

    /// From here on it is found, and hears what it is told, in its turn.
    void add(DeploymentRun run) {
        all.put(run.id(), run);
    }

    /// @param first what is seen when its turn comes
    synchronized void begin(DeploymentRun run, List<Observation> first) {
        room.enter();
        begin(run, first, true);
    }

    /// Also one that there is no room for yet stands in the line of its application. What was told
    /// to end before it came here is not kept waiting.
    synchronized void takeUp(DeploymentRun run, List<Observation> first) {
        if (run.hasMail()) begin(run, first);
        else begin(run, first, room.enter(run));
    }

    private void begin(DeploymentRun run, List<Observation> first, boolean hasRoom) {
        add(run);
        run.awaits(first);
        var isChained = ChainWait.concerns(run);
        if (hasRoom) start(run);
        if (!isChained && join(run)) run.itsTurn();
    }

    /// From here on one that waits, for its turn or for its chain, hears a cancel.
    private void start(DeploymentRun run) {
        run.start();
        if (ChainWait.concerns(run)) chained.begin(run);
        if (closed) run.detach();
    }

    /// Who is told to end is not kept waiting for room.
    synchronized void overtake(DeploymentRun run) {
        if (!closed && room.overtake(run)) start(run);
    }

    /// What rests from here on gives its place to another.
    void moved(DeploymentRun run) {
        if (rests(run)) letIn();
    }

    /// Of those inside some may rest by now.
    synchronized void letIn() {
        while (!closed) {
            var next = room.next();
            if (next.isEmpty()) return;
            start(next.get());
        }
    }

    private synchronized void chainHasCome(DeploymentRun run) {
        // It may have been cancelled while it waited.
        if (all.containsKey(run.id()) && join(run)) run.itsTurn();
    }

    /// Whether it is its turn at once.
    private boolean join(DeploymentRun run) {
        var turn = waiting.computeIfAbsent(run.application(), _ -> new ConcurrentLinkedDeque<>());
        if (newestOnly(run)) turn.stream().skip(1).forEach(other -> supersede(other, run));
        turn.add(run);
        return turn.peek() == run;
    }

    /// It is over. Answers whose turn it is now, when that changes by it.
    synchronized Optional<DeploymentRun> leave(DeploymentRun run) {
        all.remove(run.id());
        room.leave().filter(_ -> !closed).ifPresent(this::start);
        var turn = waiting.getOrDefault(run.application(), new ConcurrentLinkedDeque<>());
        var wasFirst = turn.peek() == run;
        turn.remove(run);
        if (turn.isEmpty()) waiting.remove(run.application());
        return wasFirst ? Optional.ofNullable(turn.peek()) : Optional.empty();
    }

    /// Whether how it ends is what is to be said of its application: no other has its turn there.
    /// Asked without the lock, since who asks must not wait for a disk.
    boolean speaks(DeploymentRun run) {
        return Optional.ofNullable(waiting.get(run.application()))
                .flatMap(turn -> Optional.ofNullable(turn.peek()))
                .map(first -> first == run)
                .orElse(true);
    }

    /// A chain's later deployments are older than they look, and the chain waits for each of them.
    private static boolean newestOnly(DeploymentRun run) {
        return !inLaterBlock(run) && Marks.of(run.sheet(), Marks.NEWEST_ONLY).isPresent();
    }

    private static void supersede(DeploymentRun waiting, DeploymentRun by) {
        if (inLaterBlock(waiting)) return;
        var commit = by.sheet().getTrigger().getCommit().getHash();
        waiting.see(
                new Observation.Withdrawn(
                        new Outcome.Superseded(
                                "deployment %s of commit %.8s"
                                        .formatted(by.id().brief(), commit))));
    }

    private static boolean inLaterBlock(DeploymentRun run) {
        return run.sheet().getDeploymentChainBlockIndex() > 0;
    }

    /// The agent stops: all detach, and go on with the next one.
    void close() {
        closed = true;
        chained.close();
        all.values().forEach(DeploymentRun::detach);
    }

    /// The same, with what each has to do for it.
    void close(Machine machine, Consumer<DeploymentRun> leave) {
        closed = true;
        try {
            Together.each(machine, "leave", all.values(), leave);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
