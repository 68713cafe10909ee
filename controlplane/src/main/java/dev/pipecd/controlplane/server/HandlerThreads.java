// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Where handlers run, offered in the form Armeria asks for: a virtual thread each, but for the few
/// that find one of the kept threads idle. Each wait of a virtual thread for a socket wakes three
/// others; with little to do that would be most of what a call takes.
final class HandlerThreads implements ScheduledExecutorService {
    /// More would only take memory: under load the virtual ones are as quick.
    static final int KEPT = 4;

    private static final long KEPT_SECONDS = 60;

    private final ExecutorService virtual =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("handler").factory());

    /// Nothing waits for one of them: what finds all busy gets a virtual one.
    private final ExecutorService tasks =
            new ThreadPoolExecutor(
                    0,
                    KEPT,
                    KEPT_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Thread.ofPlatform().daemon().name("kept-handler").factory(),
                    (task, _) -> virtual.execute(task));

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("timer").factory());

    @Override
    public void execute(Runnable task) {
        tasks.execute(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return timer.schedule(() -> tasks.execute(task), delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        return timer.schedule(() -> tasks.submit(task).get(), delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable task, long delay, long period, TimeUnit unit) {
        return timer.scheduleAtFixedRate(() -> tasks.execute(task), delay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable task, long delay, long period, TimeUnit unit) {
        return timer.scheduleWithFixedDelay(() -> tasks.execute(task), delay, period, unit);
    }

    @Override
    public <T> Future<T> submit(Callable<T> task) {
        return tasks.submit(task);
    }

    @Override
    public <T> Future<T> submit(Runnable task, T result) {
        return tasks.submit(task, result);
    }

    @Override
    public Future<?> submit(Runnable task) {
        return tasks.submit(task);
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> all)
            throws InterruptedException {
        return tasks.invokeAll(all);
    }

    @Override
    public <T> List<Future<T>> invokeAll(
            Collection<? extends Callable<T>> all, long timeout, TimeUnit unit)
            throws InterruptedException {
        return tasks.invokeAll(all, timeout, unit);
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> all)
            throws InterruptedException, ExecutionException {
        return tasks.invokeAny(all);
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> all, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return tasks.invokeAny(all, timeout, unit);
    }

    @Override
    public void shutdown() {
        timer.shutdown();
        tasks.shutdown();
        virtual.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        timer.shutdownNow();
        tasks.shutdown(); // an interrupt would close the connection under a commit of theirs
        return virtual.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return tasks.isShutdown() && virtual.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return tasks.isTerminated() && virtual.isTerminated() && timer.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        var end = System.nanoTime() + unit.toNanos(timeout);
        return tasks.awaitTermination(timeout, unit)
                && virtual.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
}
