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

/// Outermost: tells how each call ended. Faults of ours are told, with their cause, where they are
/// met.
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
        if (status.isOk()) log.debug("{} answered", method);
        else log.info("{}: {} {}", method, status.getCode(), status.getDescription());
    }
}
