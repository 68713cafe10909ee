// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.controlplane.access.Caller;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/// Innermost: counts the call, and turns whatever a handler throws into an answer. Nothing a
/// handler does ends the process or shows its insides.
final class Guard implements ServerInterceptor {
    private static final String CREATES = "CreateDeployment";

    private final Metrics metrics;

    Guard(Metrics metrics) {
        this.metrics = metrics;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var counted = new Counted<>(call, metrics);
        return new Guarded<>(next.startCall(counted, headers), counted);
    }

    private static final class Counted<Q, A> extends SimpleForwardingServerCall<Q, A> {
        private final Metrics metrics;
        private final Metrics.Method method;
        private boolean closed;

        Counted(ServerCall<Q, A> call, Metrics metrics) {
            super(call);
            this.metrics = metrics;
            this.method = metrics.method(call.getMethodDescriptor());
        }

        @Override
        public void sendMessage(A message) {
            method.sent();
            super.sendMessage(message);
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (closed) return; // a handler that answered and then threw: the answer stands
            closed = true;
            var told = told(status);
            method.handled(told);
            if (told.isOk() && CREATES.equals(getMethodDescriptor().getBareMethodName()))
                metrics.deploymentCreated(Caller.current().project());
            super.close(told, trailers);
        }

        /// What a handler passes to `onError` arrives as an unknown status around it.
        private static Status told(Status status) {
            var cause = status.getCause();
            return status.getCode() == Status.Code.UNKNOWN && cause != null
                    ? Faults.told(cause)
                    : status;
        }
    }

    private static final class Guarded<Q, A> extends SimpleForwardingServerCallListener<Q> {
        private final Counted<Q, A> call;
        private boolean started;

        Guarded(ServerCall.Listener<Q> next, Counted<Q, A> call) {
            super(next);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            if (!started) call.method.started();
            started = true;
            call.method.received();
            guard(() -> super.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            guard(super::onHalfClose);
        }

        @Override
        public void onReady() {
            guard(super::onReady);
        }

        private void guard(Runnable step) {
            try {
                step.run();
            } catch (Exception | StackOverflowError | OutOfMemoryError | AssertionError e) {
                call.close(Faults.told(e), new Metadata());
            }
        }
    }
}
