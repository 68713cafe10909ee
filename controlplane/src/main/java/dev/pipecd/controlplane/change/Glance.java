// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

/// One look for all who want to know how things stand now: it serves everybody who asked before it
/// began, and who comes while it goes on waits for the next.
public final class Glance {
    private final Runnable look;
    private long begun;
    private long done;
    private boolean looking;

    public Glance(Runnable look) {
        this.look = look;
    }

    /// Returns after a look that began after the call.
    public void now() {
        if (!mine()) return;
        var seen = false;
        try {
            look.run();
            seen = true;
        } finally {
            ended(seen);
        }
    }

    /// Waits until it is over, or is the caller's to do.
    private synchronized boolean mine() {
        var wanted = begun + 1;
        var interrupted = false;
        while (looking && done < wanted) {
            try {
                wait();
            } catch (InterruptedException _) {
                interrupted = true; // a look is short
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
        if (done >= wanted) return false;
        looking = true;
        begun++;
        return true;
    }

    /// After one that failed, one of those who wait looks itself.
    private synchronized void ended(boolean seen) {
        if (seen) done = begun;
        looking = false;
        notifyAll();
    }
}
