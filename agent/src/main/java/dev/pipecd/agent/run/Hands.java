// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.domain.DeploymentId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The threads that do what a deployment's walk has decided, so that the walk itself never waits.
final class Hands {
    private static final Logger log = LoggerFactory.getLogger(Hands.class);

    private final DeploymentId id;
    private final BiConsumer<String, RuntimeException> failed;
    private final Set<Thread> busy = ConcurrentHashMap.newKeySet();

    /// @param failed is told what broke off by a fault of ours
    Hands(DeploymentId id, BiConsumer<String, RuntimeException> failed) {
        this.id = id;
        this.failed = failed;
    }

    Thread start(String name, Work work) {
        var hand =
                Thread.ofVirtual().name(name + "-" + id.brief()).unstarted(() -> run(name, work));
        busy.add(hand);
        hand.start();
        return hand;
    }

    private void run(String name, Work work) {
        try {
            work.run();
        } catch (InterruptedException | JournalClosed stopped) {
            // The agent stops.
        } catch (RuntimeException e) {
            log.error("deployment {}: {} broke off", id.brief(), name, e);
            failed.accept(name, e);
        } finally {
            busy.remove(Thread.currentThread());
        }
    }

    void interrupt() {
        busy.forEach(Thread::interrupt);
    }

    interface Work {
        void run() throws InterruptedException;
    }
}
