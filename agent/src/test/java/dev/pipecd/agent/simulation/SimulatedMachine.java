// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.process.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Threads of which one at a time runs, chosen by chance with a seed, and time that passes only
/// when it is told to. The same seed gives the same run.
final class SimulatedMachine implements Machine {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private final RandomGenerator random;
    private final List<Task> tasks = new ArrayList<>();
    private final Set<String> eager;
    private Instant clock = Instant.parse("2026-01-01T00:00:00Z");
    private Duration uptime = Duration.ZERO;
    private @Nullable Task running;
    private @Nullable Task stalled;
    private @Nullable Throwable broken;
    private int turns;

    /// @param eager the threads, by how their names begin, that may run before their starter goes
    ///   on: those that nobody starts with a lock in his hand
    SimulatedMachine(RandomGenerator random, Set<String> eager) {
        this.random = random;
        this.eager = Set.copyOf(eager);
    }

    @Override
    public Instant instant() {
        return clock;
    }

    @Override
    public Duration uptime() {
        return uptime;
    }

    @Override
    public Thread start(String name, Runnable work) {
        var task = new Task(name, work);
        tasks.add(task);
        if (eager.stream().anyMatch(name::startsWith) && random.nextInt(3) == 0) resume(task);
        return task.thread;
    }

    @Override
    public Bell bell() {
        return new Bell() {
            // Who waits is looked at before each step.
            @Override
            public void ring() {}

            @Override
            public boolean await(BooleanSupplier come, Duration atMost)
                    throws InterruptedException {
                return SimulatedMachine.this.await(come, atMost);
            }
        };
    }

    boolean await(BooleanSupplier come, Duration atMost) throws InterruptedException {
        var task = running;
        if (task == null) throw new IllegalStateException("nobody of this machine waits here");
        if (task.gone()) throw new Crashed();
        if (Thread.interrupted()) throw new InterruptedException();
        if (random.nextBoolean() && come.getAsBoolean()) return true;
        task.come = come;
        task.until = uptime.plus(atMost);
        task.yield();
        if (Thread.interrupted()) throw new InterruptedException();
        return come.getAsBoolean();
    }

    /// What simulated work does in the place of taking time.
    void sleep(Duration length) throws InterruptedException {
        var _ = await(() -> false, length);
    }

    /// The end of this agent, wherever it stands: also of one that catches everything.
    Crashed crash() {
        if (running != null) running.crashed = true;
        return new Crashed();
    }

    /// Whether who asks is of an agent that is gone, and does what it does only to end.
    boolean gone() {
        return running != null && running.gone();
    }

    /// Who holds locks waits here and nobody else goes on meanwhile: a thread that wanted one of
    /// them would wait for ever. Who was started eagerly does not wait, since its starter goes on.
    void stall(BooleanSupplier until) {
        var task = running;
        if (task == null || task.nested) return;
        while (!until.getAsBoolean()) {
            stalled = task;
            task.come = until;
            task.until = FOR_EVER;
            task.yield();
        }
    }

    boolean stalled() {
        return stalled != null;
    }

    /// How often a thread was let go on: who could go on for very many of them had his turn.
    int turns() {
        return turns;
    }

    /// Lets one thread go on that can; false when all wait.
    boolean step() {
        if (stalled != null) {
            var task = stalled;
            if (!task.come.getAsBoolean()) return false;
            stalled = null;
            resume(task);
            return true;
        }
        var ready = tasks.stream().filter(Task::ready).toList();
        if (ready.isEmpty()) return false;
        resume(ready.get(random.nextInt(ready.size())));
        return true;
    }

    /// How long until the next thread has waited long enough, or as long as given.
    Duration untilNext(Duration atMost) {
        return tasks.stream()
                .map(t -> t.until.minus(uptime))
                .min(Duration::compareTo)
                .filter(d -> d.compareTo(atMost) < 0)
                .orElse(atMost);
    }

    void pass(Duration length) {
        if (!length.isPositive()) return;
        uptime = uptime.plus(length);
        clock = clock.plus(length);
    }

    void setClock(Duration by) {
        clock = clock.plus(by);
    }

    /// Every thread ends where it stands.
    void kill() {
        for (var task : List.copyOf(tasks)) {
            task.dead = true;
            if (task.begun) resume(task);
        }
        tasks.clear();
        stalled = null;
    }

    private void resume(Task task) {
        turns++;
        var starter = running;
        var back = new Semaphore(0);
        running = task;
        task.nested = starter != null;
        task.back = back;
        task.until = uptime;
        if (task.begun) task.turn.release();
        else task.begin();
        back.acquireUninterruptibly();
        running = starter;
        if (broken != null) {
            var thrown = broken;
            broken = null;
            if (thrown instanceof Crashed crashed) throw crashed;
            throw new AssertionError("a thread of the agent broke off", thrown);
        }
    }

    String waiting() {
        return String.join(", ", tasks.stream().map(t -> t.thread.getName()).toList());
    }

    /// The agent is gone, in the middle of what it did.
    static final class Crashed extends Error {
        Crashed() {
            super("crashed", null, false, false);
        }
    }

    private final class Task {
        private final Semaphore turn = new Semaphore(0);
        private Semaphore back = new Semaphore(0);
        private final Thread thread;
        private BooleanSupplier come = () -> true;
        private Duration until = uptime;
        private boolean begun;
        private boolean dead;
        private boolean crashed;
        private boolean nested;

        private Task(String name, Runnable work) {
            this.thread = Thread.ofVirtual().name(name).unstarted(() -> run(work));
        }

        private void begin() {
            begun = true;
            thread.start();
        }

        private void run(Runnable work) {
            try {
                work.run();
            } catch (Throwable e) {
                if (!dead) broken = e;
            } finally {
                if (crashed && !dead) broken = new Crashed();
                tasks.remove(this);
                back.release();
            }
        }

        private void yield() {
            back.release();
            turn.acquireUninterruptibly();
            if (dead) throw new Crashed();
        }

        private boolean gone() {
            return dead || crashed;
        }

        private boolean ready() {
            return come.getAsBoolean() || uptime.compareTo(until) >= 0 || thread.isInterrupted();
        }
    }
}
