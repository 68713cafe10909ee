// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.IntSupplier;

/// So many go on at a time: more would not fit into the memory. Others stand in line, or are not
/// begun before somebody is told that there is room again.
public final class Room<T> {
    private final int size;
    private final int spare;
    private final IntSupplier resting;
    private final Runnable again;
    private final Queue<T> line = new ArrayDeque<>();
    private int inside;
    private boolean refused;

    /// @param spare for how many more there is room while that many of those inside rest
    /// @param resting how many of those inside do nothing but wait
    /// @param again called when there is room for several more, after somebody heard that there is
    ///   none: for each single one it would not be worth it
    public Room(int size, int spare, IntSupplier resting, Runnable again) {
        this.size = size;
        this.spare = spare;
        this.resting = resting;
        this.again = again;
    }

    /// For how many more there is room.
    public synchronized int left() {
        var left = Math.max(0, free() - line.size());
        if (left == 0) refused = true;
        return left;
    }

    private int free() {
        var full = size - inside;
        return full > 0 ? full : full + Math.min(spare, resting.getAsInt());
    }

    /// Somebody comes in who is not kept waiting.
    public synchronized void enter() {
        inside++;
    }

    /// False when it stands in line instead.
    public synchronized boolean enter(T one) {
        if (free() <= 0) return !line.add(one);
        inside++;
        return true;
    }

    /// Whether it stood in line, and comes in now.
    public synchronized boolean overtake(T one) {
        if (!line.remove(one)) return false;
        inside++;
        return true;
    }

    /// Who comes in next, now that others may rest.
    public synchronized Optional<T> next() {
        if (line.isEmpty() || free() <= 0) return Optional.empty();
        inside++;
        return Optional.of(line.remove());
    }

    /// One is gone. Answers who comes in in its place.
    public Optional<T> leave() {
        Optional<T> next;
        boolean tell;
        synchronized (this) {
            inside--;
            next = next();
            tell = refused && free() - line.size() >= Math.max(1, size / 8);
            if (tell) refused = false;
        }
        if (tell) again.run();
        return next;
    }
}
