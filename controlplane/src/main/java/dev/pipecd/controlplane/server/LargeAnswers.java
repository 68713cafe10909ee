// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.google.protobuf.MessageLite;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Large answers leave a few at a time, and their handler returns when they are gone: each is in
/// memory as a whole until its caller has read it, and many callers at once would fill any memory.
final class LargeAnswers implements ServerInterceptor {
    private static final int LARGE_KILOBYTES = 1 << 10;
    private static final int MOST_KILOBYTES = 48 << 10;

    /// Who takes longer makes room for others; what he holds is still counted as unsent.
    private static final long LONGEST_MINUTES = 3;

    private final int most;
    private final Semaphore leaving;

    /// Less than may be unsent altogether, so that none has to be given up for another, even where
    /// they leave as text, which takes a third more.
    LargeAnswers(long heap) {
        this.most = (int) Math.min(MOST_KILOBYTES, heap / 8 >> 10);
        this.leaving = new Semaphore(most, true);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(new Weighed<>(call), headers);
    }

    private final class Weighed<Q, A> extends SimpleForwardingServerCall<Q, A> {
        private int weight;

        Weighed(ServerCall<Q, A> call) {
            super(call);
        }

        @Override
        public void sendMessage(A message) {
            if (message instanceof MessageLite answer) enter(answer.getSerializedSize() >> 10);
            super.sendMessage(message);
        }

        private void enter(int kilobytes) {
            if (kilobytes < LARGE_KILOBYTES || weight > 0) return;
            var asked = Math.min(kilobytes, most);
            leaving.acquireUninterruptibly(asked);
            weight = asked;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (weight == 0) {
                super.close(status, trailers);
                return;
            }
            Future<?> gone = ServiceRequestContext.current().log().whenComplete();
            try {
                super.close(status, trailers);
                gone.get(LONGEST_MINUTES, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                // gone all the same, or never to be
            } finally {
                leaving.release(weight);
                weight = 0;
            }
        }
    }
}
