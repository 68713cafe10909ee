// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/// So many go on at a time: more would not fit into the memory. Others stand in line, or are not
/// begun before somebody is told that there is room again.
public final class Room<T> {
    private final int size;
    private final Runnable again;
    private final Queue<T> line = new ArrayDeque<>();
    private int inside;
    private boolean refused;

    /// @param again called when there is room for several more, after somebody heard that there is
    ///   none: for each single one it would not be worth it
    public Room(int size, Runnable again) {
        this.size = size;
        this.again = again;
    }

    /// For how many more there is room.
    public synchronized int left() {
        var left = Math.max(0, size - inside - line.size());
        if (left == 0) refused = true;
        return left;
    }

    /// Somebody comes in who is not kept waiting.
    public synchronized void enter() {
        inside++;
    }

    /// False when it stands in line instead.
    public synchronized boolean enter(T one) {
        if (inside >= size) return !line.add(one);
        inside++;
        return true;
    }

    /// One is gone. Answers who comes in in its place.
    public Optional<T> leave() {
        Optional<T> next;
        boolean tell;
        synchronized (this) {
            inside--;
            next = inside < size ? Optional.ofNullable(line.poll()) : Optional.empty();
            if (next.isPresent()) inside++;
            tell = refused && size - inside - line.size() >= Math.max(1, size / 8);
            if (tell) refused = false;
        }
        if (tell) again.run();
        return next;
    }
}
