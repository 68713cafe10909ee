// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The streams held open to browsers and agents, a virtual thread each; they are ended before the
/// ports close, because they would not end by themselves.
///
/// None can take those of others: each kind has a number of its own, each session or agent a few of
/// them, and the last tenth is for projects that have less than half.
public final class Streams implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Map<Thread, Holder> open = new ConcurrentHashMap<>();
    private final Map<Object, Integer> counts = new HashMap<>();
    private volatile boolean closing;

    /// Says no when there are too many, or the server is about to stop.
    public boolean start(Holder holder, Runnable stream) {
        if (closing || !enter(holder)) return false;
        var thread =
                Thread.ofVirtual()
                        .name("stream")
                        .unstarted(() -> {
                            try {
                                stream.run();
                            } finally {
                                open.remove(Thread.currentThread());
                                leave(holder);
                            }
                        });
        open.put(thread, holder);
        thread.start();
        // Closing may have looked at the open ones just before this one was among them.
        if (closing) thread.interrupt();
        return true;
    }

    private synchronized boolean enter(Holder holder) {
        var kind = holder.kind();
        var all = count(kind);
        if (all >= kind.most || counted(holder) >= kind.mostOfOne) return false;
        if (all >= kind.most / 10 * 9 && counted(holder.share()) >= kind.most / 2) return false;
        counts.merge(kind, 1, Integer::sum);
        counts.merge(holder, 1, Integer::sum);
        counts.merge(holder.share(), 1, Integer::sum);
        return true;
    }

    private synchronized void leave(Holder holder) {
        lower(holder.kind());
        lower(holder);
        lower(holder.share());
    }

    private void lower(Object counted) {
        counts.computeIfPresent(counted, (_, count) -> count == 1 ? null : count - 1);
    }

    private int counted(Object of) {
        return counts.getOrDefault(of, 0);
    }

    public synchronized int count(Kind kind) {
        return counted(kind);
    }

    @Override
    public void close() {
        closing = true;
        open.keySet().forEach(Thread::interrupt);
        var end = System.nanoTime() + PATIENCE.toNanos();
        try {
            for (var thread : open.keySet()) {
                thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public enum Kind {
        LINK(10_000, 100),
        CHANGES(2_000, 20),
        EXPORT(100, 20);

        private final int most;
        private final int mostOfOne;

        Kind(int most, int mostOfOne) {
            this.most = most;
            this.mostOfOne = mostOfOne;
        }
    }

    /// Whose stream it is.
    ///
    /// @param who an agent, or a session
    public record Holder(Kind kind, ProjectId project, String who) {
        private Share share() {
            return new Share(kind, project);
        }
    }

    private record Share(Kind kind, ProjectId project) {}
}
