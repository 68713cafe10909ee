// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// What requests hold that are not answered yet, of all callers together: each body has a limit,
/// and many of them would fill any memory. When it is too much, those are given up that began first
/// and are still not whole; whoever sends what he has to say is through long before.
final class Bodies {
    /// A request that is not whole: its head, and what waits for the rest.
    static final int HEAD = 8 * 1024;

    /// Whatever a piece brings, it is an object or two.
    static final int PIECE = 256;

    private final long most;
    private final SequencedSet<Body> arriving = new LinkedHashSet<>();
    private long held;

    Bodies(long most) {
        this.most = most;
    }

    /// @param giveUp ends the request; called by whoever brings too much, on his thread
    Body begun(Runnable giveUp) {
        var body = new Body(giveUp);
        synchronized (this) {
            arriving.add(body);
        }
        body.takes(HEAD);
        return body;
    }

    synchronized long held() {
        return held;
    }

    private List<Body> tooLate() {
        if (held <= most) return List.of();
        var late = new ArrayList<Body>();
        while (held > most && !arriving.isEmpty()) {
            var oldest = arriving.getFirst();
            oldest.end();
            late.add(oldest);
        }
        return late;
    }

    /// Of one request.
    final class Body {
        private final Runnable giveUp;
        private long size;
        private boolean ended;
        private boolean passes;

        private Body(Runnable giveUp) {
            this.giveUp = giveUp;
        }

        /// It is read as it comes, and what was read is not kept. Its own thread asks and tells.
        void pass() {
            passes = true;
        }

        boolean passes() {
            return passes;
        }

        /// A piece of it came. Answers false when nobody waits for it any more.
        boolean brought(int bytes) {
            return takes(bytes + PIECE);
        }

        private boolean takes(int bytes) {
            List<Body> late;
            synchronized (Bodies.this) {
                if (ended) return false;
                size += bytes;
                held += bytes;
                late = tooLate();
            }
            late.forEach(body -> body.giveUp.run());
            return !late.contains(this);
        }

        /// A piece is not held any more: its reader took what he needs of it.
        void taken(int bytes) {
            synchronized (Bodies.this) {
                if (ended) return;
                size -= bytes + PIECE;
                held -= bytes + PIECE;
            }
        }

        /// All of it is here, and what it holds is held until it is answered.
        void whole() {
            synchronized (Bodies.this) {
                if (!arriving.remove(this)) return;
                size -= HEAD;
                held -= HEAD;
            }
        }

        /// It was answered, or its caller left.
        void gone() {
            synchronized (Bodies.this) {
                end();
            }
        }

        private void end() {
            arriving.remove(this);
            held -= size;
            size = 0;
            ended = true;
        }
    }
}
