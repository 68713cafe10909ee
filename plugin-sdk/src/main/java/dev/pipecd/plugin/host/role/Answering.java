// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;

/// Runs a plugin's answer on the thread of the call and interrupts it when the agent no longer
/// waits: cancelled, or past its deadline.
final class Answering {
    private Answering() {}

    interface Work<A> {
        A answer() throws IOException, InterruptedException;
    }

    static <A> void answer(StreamObserver<A> observer, Work<A> work) {
        var listener = new Interrupting(Thread.currentThread());
        var call = Context.current();
        call.addListener(listener, Runnable::run);
        try {
            var answer = work.answer();
            listener.over();
            observer.onNext(answer);
            observer.onCompleted();
        } catch (InterruptedException e) {
            observer.onError(
                    Status.CANCELLED
                            .withDescription("nobody waits for the answer")
                            .asRuntimeException());
        } catch (IOException e) {
            // Not UNAVAILABLE, by which an agent knows that the plugin itself is away.
            observer.onError(Status.INTERNAL.withDescription(e.toString()).asRuntimeException());
        } finally {
            call.removeListener(listener);
            listener.over();
        }
    }

    private static final class Interrupting implements Context.CancellationListener {
        private final Thread thread;
        private boolean over;

        Interrupting(Thread thread) {
            this.thread = thread;
        }

        @Override
        public synchronized void cancelled(Context context) {
            if (!over) thread.interrupt();
        }

        /// The thread goes on to other callbacks of the call: they must not be hit.
        synchronized void over() {
            over = true;
            var _ = Thread.interrupted();
        }
    }
}
