// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.google.protobuf.ByteString;
import dev.pipecd.domain.Problem;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// Hands reports that came in one call to the handlers of the calls they would have been, behind
/// the same interceptors: whoever may not send one by itself may not send it here either.
public final class Together {
    /// What only asks has an answer, which nobody would get.
    private static final Pattern REPORTS = Pattern.compile("(Create|Put|Report|Save|Update).*");

    private final Map<String, ServerMethodDefinition<?, ?>> methods = new HashMap<>();

    Together(ServerServiceDefinition service) {
        for (var method : service.getMethods()) {
            var name = String.valueOf(method.getMethodDescriptor().getBareMethodName());
            if (REPORTS.matcher(name).matches()) methods.put(name, method);
        }
    }

    /// How the call ended that it would have been.
    public Status take(String call, ByteString request) {
        var method = methods.get(call);
        return method == null ? unknown(call) : take(method, request);
    }

    private static Status unknown(String call) {
        return Failures.of(
                new Problem(
                        Problem.Code.REQUEST_INVALID,
                        "call: %s (expected: one of PipedService that reports)".formatted(call),
                        "Send it by itself."));
    }

    private static <Q, A> Status take(ServerMethodDefinition<Q, A> method, ByteString body) {
        var call = new Inner<>(method.getMethodDescriptor());
        Q request;
        try {
            request = method.getMethodDescriptor().parseRequest(body.newInput());
        } catch (RuntimeException e) {
            return GrpcDoors.told(Status.UNKNOWN, e);
        }
        var listener = method.getServerCallHandler().startCall(call, new Metadata());
        listener.onMessage(request);
        listener.onHalfClose();
        return call.ended;
    }

    /// A call within a call: handlers answer before they return, and of the answer only the status
    /// counts.
    private static final class Inner<Q, A> extends ServerCall<Q, A> {
        private final MethodDescriptor<Q, A> method;
        private Status ended = Status.INTERNAL.withDescription("no answer");

        Inner(MethodDescriptor<Q, A> method) {
            this.method = method;
        }

        @Override
        public void request(int messages) {}

        @Override
        public void sendHeaders(Metadata headers) {}

        @Override
        public void sendMessage(A message) {}

        @Override
        public void close(Status status, Metadata trailers) {
            ended = status;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public MethodDescriptor<Q, A> getMethodDescriptor() {
            return method;
        }

        @Override
        public Attributes getAttributes() {
            return Attributes.EMPTY;
        }
    }
}
