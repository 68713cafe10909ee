// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Outermost: tells how each call ended, loudly only when the fault is ours.
final class CallLog implements ServerInterceptor {
    private static final Logger log = LoggerFactory.getLogger(CallLog.class);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(
                new SimpleForwardingServerCall<Q, A>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        tell(getMethodDescriptor().getFullMethodName(), status);
                        super.close(status, trailers);
                    }
                },
                headers);
    }

    private static void tell(String method, Status status) {
        switch (status.getCode()) {
            case OK -> log.debug("{} answered", method);
            case INTERNAL, UNKNOWN, DATA_LOSS ->
                    log.error("{} failed: {}", method, status.getDescription());
            default -> log.info("{}: {} {}", method, status.getCode(), status.getDescription());
        }
    }
}
