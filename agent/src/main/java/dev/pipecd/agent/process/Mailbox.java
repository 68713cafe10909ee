// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// What a walk has been told and has not looked at yet.
public final class Mailbox<T> {
    private static final Duration LONG = Duration.ofDays(1);

    private final Queue<T> letters = new ConcurrentLinkedQueue<>();
    private final Machine.Bell bell;
    private boolean closed;

    public Mailbox(Machine.Bell bell) {
        this.bell = bell;
    }

    /// False when nobody will look at it any more.
    public boolean add(T letter) {
        synchronized (letters) {
            if (closed) return false;
            letters.add(letter);
        }
        bell.ring();
        return true;
    }

    public boolean isEmpty() {
        return letters.isEmpty();
    }

    /// What was not looked at; nothing comes after it.
    public List<T> close() {
        synchronized (letters) {
            closed = true;
            return List.copyOf(letters);
        }
    }

    /// The next one, if there is one in this time.
    public Optional<T> poll(Duration atMost) throws InterruptedException {
        var _ = bell.await(() -> !letters.isEmpty(), atMost);
        return Optional.ofNullable(letters.poll());
    }

    public T take() throws InterruptedException {
        for (var letter = poll(LONG); ; letter = poll(LONG))
            if (letter.isPresent()) return letter.get();
    }
}
