// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.process.Machine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// What a walk has been told and has not looked at yet.
final class Mailbox<T> {
    private static final Duration LONG = Duration.ofDays(1);

    private final Queue<T> letters = new ConcurrentLinkedQueue<>();
    private final Machine.Bell bell;
    private boolean closed;

    Mailbox(Machine.Bell bell) {
        this.bell = bell;
    }

    /// False when nobody will look at it any more.
    boolean add(T letter) {
        synchronized (letters) {
            if (closed) return false;
            letters.add(letter);
        }
        bell.ring();
        return true;
    }

    /// What was not looked at; nothing comes after it.
    List<T> close() {
        synchronized (letters) {
            closed = true;
            return List.copyOf(letters);
        }
    }

    /// The next one, if there is one in this time.
    Optional<T> poll(Duration atMost) throws InterruptedException {
        var _ = bell.await(() -> !letters.isEmpty(), atMost);
        return Optional.ofNullable(letters.poll());
    }

    T take() throws InterruptedException {
        for (var letter = poll(LONG); ; letter = poll(LONG))
            if (letter.isPresent()) return letter.get();
    }
}
