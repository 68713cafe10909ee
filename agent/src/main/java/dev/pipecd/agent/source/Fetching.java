// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.process.Apart;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/// The fetches of one mirror, one at a time. Many may wait for one: a deployment that is called off
/// only stops waiting, and does not break off what the others need. What it asked for is not begun
/// any more.
final class Fetching implements AutoCloseable {
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Apart apart = new Apart("fetch");
    private final Repository repository;
    private final Trouble trouble;

    Fetching(Repository repository, Trouble trouble) {
        this.repository = repository;
        this.trouble = trouble;
    }

    /// Does it while no other fetch does anything; a `Problem`, and the thread still interrupted,
    /// for whoever is interrupted before it is done.
    <T> T alone(Callable<T> work) {
        var left = new AtomicBoolean();
        try {
            return apart.call(() -> inTurn(work, left));
        } catch (InterruptedException e) {
            left.set(true);
            Thread.currentThread().interrupt();
            throw trouble.calledOff(new Remote(repository.remote()));
        } catch (RejectedExecutionException closed) {
            throw trouble.calledOff(new Remote(repository.remote()));
        }
    }

    private <T> T inTurn(Callable<T> work, AtomicBoolean left) throws Exception {
        try {
            turn.lockInterruptibly();
        } catch (InterruptedException closed) {
            throw trouble.calledOff(new Remote(repository.remote()));
        }
        try {
            // Many may be called off while one server does not answer: each would wait for it once
            // more, before whoever still waits.
            if (left.get()) throw trouble.calledOff(new Remote(repository.remote()));
            return work.call();
        } finally {
            turn.unlock();
        }
    }

    /// How many wait for their turn.
    int waiting() {
        return turn.getQueueLength();
    }

    @Override
    public void close() {
        apart.close();
    }
}
