// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// The same done with several things at once, each on a thread of its own.
public final class Together {
    private static final Duration LONG = Duration.ofDays(1);

    private Together() {}

    /// Comes back when all are done. One that breaks off does not keep the others from it; it is
    /// thrown then. Who is interrupted interrupts them, and still waits.
    public static <T> void each(
            Machine machine, String name, Collection<T> things, Consumer<T> work)
            throws InterruptedException {
        var broken = new CopyOnWriteArrayList<Throwable>();
        var all = List.copyOf(things);
        var left = new AtomicInteger(all.size());
        var bell = machine.bell();
        var threads =
                all.stream()
                        .map(thing ->
                                machine.start(
                                        name,
                                        () -> {
                                            try {
                                                work.accept(thing);
                                            } catch (RuntimeException
                                                    | StackOverflowError
                                                    | LinkageError
                                                    | AssertionError e) {
                                                broken.add(e);
                                            } finally {
                                                left.decrementAndGet();
                                                bell.ring();
                                            }
                                        }))
                        .toList();
        await(bell, left, threads);
        if (!broken.isEmpty()) throw new IllegalStateException(broken.getFirst());
    }

    private static void await(Machine.Bell bell, AtomicInteger left, List<Thread> threads)
            throws InterruptedException {
        var interrupted = false;
        while (left.get() > 0) {
            try {
                var _ = bell.await(() -> left.get() == 0, LONG);
            } catch (InterruptedException e) {
                interrupted = true;
                threads.forEach(Thread::interrupt);
            }
        }
        if (interrupted) throw new InterruptedException();
    }
}
