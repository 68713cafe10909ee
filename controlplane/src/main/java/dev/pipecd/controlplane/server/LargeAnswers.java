// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.google.protobuf.MessageLite;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/// Large answers leave a few at a time: each is in memory as a whole until its caller has read it,
/// and many callers at once would fill any memory.
final class LargeAnswers implements ServerInterceptor {
    private static final int LARGE_KILOBYTES = 1 << 10;
    private static final int MOST_KILOBYTES = 96 << 10;

    private final Semaphore leaving = new Semaphore(MOST_KILOBYTES, true);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(
                new SimpleForwardingServerCall<Q, A>(call) {
                    @Override
                    public void sendMessage(A message) {
                        if (message instanceof MessageLite answer)
                            enter(answer.getSerializedSize() >> 10);
                        super.sendMessage(message);
                    }
                },
                headers);
    }

    private void enter(int kilobytes) {
        if (kilobytes < LARGE_KILOBYTES) return;
        var weight = Math.min(kilobytes, MOST_KILOBYTES);
        Future<?> gone = ServiceRequestContext.current().log().whenComplete();
        leaving.acquireUninterruptibly(weight);
        // However the call ends, a deadline of the port included.
        var _ = Thread.ofVirtual().name("large-answer").start(() -> leave(gone, weight));
    }

    private void leave(Future<?> gone, int weight) {
        try {
            gone.get();
        } catch (InterruptedException | ExecutionException e) {
            // gone all the same
        } finally {
            leaving.release(weight);
        }
    }
}
