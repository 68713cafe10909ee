// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/// A stream lives as long as both sides wish, once it is known whose it is: until then it has the
/// time every call has.
final class LongCalls implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var armeria = ServiceRequestContext.currentOrNull();
        if (armeria != null && !call.getMethodDescriptor().getType().serverSendsOneMessage())
            armeria.clearRequestTimeout();
        return next.startCall(call, headers);
    }
}
