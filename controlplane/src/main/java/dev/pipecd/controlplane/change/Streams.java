// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The streams held open to browsers and agents, a virtual thread each; they are ended before the
/// ports close, because they would not end by themselves.
public final class Streams implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final int most;
    private final Map<Thread, Kind> open = new ConcurrentHashMap<>();
    private volatile boolean closing;

    public Streams(int most) {
        this.most = most;
    }

    /// Says no when there are too many, or the server is about to stop.
    public boolean start(Kind kind, Runnable stream) {
        if (closing || open.size() >= most) return false;
        var thread =
                Thread.ofVirtual()
                        .name("stream")
                        .unstarted(() -> {
                            try {
                                stream.run();
                            } finally {
                                open.remove(Thread.currentThread());
                            }
                        });
        open.put(thread, kind);
        thread.start();
        // Closing may have looked at the open ones just before this one was among them.
        if (closing) thread.interrupt();
        return true;
    }

    public int count() {
        return open.size();
    }

    public int count(Kind kind) {
        return Collections.frequency(open.values(), kind);
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
        LINK,
        CHANGES,
        EXPORT
    }
}
