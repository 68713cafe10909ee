// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The threads that do what a deployment's walk has decided, so that the walk itself never waits.
final class Hands {
    private static final Logger log = LoggerFactory.getLogger(Hands.class);

    private final DeploymentId id;
    private final Machine machine;
    private final Set<Thread> busy = ConcurrentHashMap.newKeySet();
    private volatile boolean detached;
    private volatile @Nullable Runnable cleanUp;

    Hands(DeploymentId id, Machine machine) {
        this.id = id;
        this.machine = machine;
    }

    /// @param failed is told when it broke off by a fault of ours: nothing may wait for ever
    ///   because of that
    Thread start(String name, Work work, Consumer<Throwable> failed) {
        return machine.start(name + "-" + id.brief(), () -> run(name, work, failed));
    }

    private void run(String name, Work work, Consumer<Throwable> failed) {
        busy.add(Thread.currentThread());
        // It may have been started while all the others were interrupted.
        if (detached) Thread.currentThread().interrupt();
        try {
            work.run();
        } catch (InterruptedException | JournalClosed stopped) {
            // The agent stops.
        } catch (Problem problem) {
            failed.accept(problem);
        } catch (Throwable e) {
            log.error("deployment {}: {} broke off", id.brief(), name, e);
            failed.accept(e);
        } finally {
            busy.remove(Thread.currentThread());
            // What it laid out after all was over, nobody else takes away.
            var last = cleanUp;
            if (last != null) last.run();
        }
    }

    /// All is over: whoever is still at work cleans up behind itself.
    void over(Runnable work) {
        cleanUp = work;
    }

    /// Why it broke off, for people.
    static String told(Throwable e) {
        return e instanceof Problem problem
                ? problem.told()
                : "an internal fault of the agent: " + e;
    }

    void interrupt() {
        detached = true;
        busy.forEach(Thread::interrupt);
    }

    interface Work {
        void run() throws InterruptedException;
    }
}
