// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.ops;

import dev.pipecd.controlplane.ops.LeaseStore.Hold;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives one of several processes its turn, for as long as it looks in again before the turn's life
/// is over.
///
/// No clocks are compared: a term that did not grow for a whole life, by the clock of who watches
/// it, belongs to somebody who is gone. The holder counts from before it wrote, so that its turn is
/// over before anybody may think so.
public final class Lease implements Turn, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Lease.class);

    private final LeaseStore store;
    private final String name;
    private final String holder;
    private final Duration life;
    private final LongSupplier nanos;
    private Hold seen = Hold.NOBODYS;
    private long seenAt;
    private boolean held;
    private long heldAt;

    /// @param holder tells processes apart, also a restarted one from what it was before
    /// @param nanos a clock that only runs forward
    public Lease(LeaseStore store, String name, String holder, Duration life, LongSupplier nanos) {
        this.store = store;
        this.name = name;
        this.holder = holder;
        this.life = life;
        this.nanos = nanos;
        this.seenAt = nanos.getAsLong();
    }

    /// Takes the turn, keeps it, or sees that it is another's.
    public synchronized void look() {
        var now = nanos.getAsLong();
        var found = store.find(name);
        if (!found.equals(seen)) {
            seen = found;
            seenAt = now;
        }
        var before = mine();
        var next = new Hold(holder, found.term() + 1);
        held = (isFree(found, now) || isOurs(found)) && store.replace(name, found, next);
        if (held) {
            seen = next;
            seenAt = now;
            heldAt = now;
        }
        if (before != mine()) log.info("{}: {}", name, held ? "our turn" : "another's turn");
    }

    private boolean isFree(Hold found, long now) {
        return found.holder().isEmpty() || now - seenAt >= life.toNanos();
    }

    private boolean isOurs(Hold found) {
        return found.holder().equals(holder);
    }

    @Override
    public synchronized boolean mine() {
        return held && nanos.getAsLong() - heldAt < life.toNanos();
    }

    /// Lets the next one begin at once.
    @Override
    public synchronized void close() {
        if (held) {
            var _ = store.replace(name, seen, new Hold("", seen.term() + 1));
        }
        held = false;
    }
}
