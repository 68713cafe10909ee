// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.config.launch.RequestScope;
import dev.pipecd.controlplane.change.Question;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Outermost: serves each call under its id, and tells how it ended. Faults of ours are told, with
/// their cause, where they are met.
final class CallLog implements ServerInterceptor {
    private static final Logger log = LoggerFactory.getLogger(CallLog.class);
    private static final int LONGEST = 500;
    private static final Metadata.Key<String> REQUEST_ID =
            Metadata.Key.of(RequestIds.HEADER, Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var id = RequestIds.current();
        var told =
                new SimpleForwardingServerCall<Q, A>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        var told = bounded(status);
                        RequestScope.run(
                                id, () -> tell(getMethodDescriptor().getFullMethodName(), told));
                        trailers.discardAll(REQUEST_ID);
                        trailers.put(REQUEST_ID, id);
                        super.close(told, trailers);
                    }
                };
        return call.getMethodDescriptor().getType() == MethodDescriptor.MethodType.UNARY
                ? question(told, headers, next, id)
                : new Scoped<>(RequestScope.call(id, () -> next.startCall(told, headers)), id);
    }

    /// Not for streams, which go on and must see what is new each time.
    private static <Q, A> ServerCall.Listener<Q> question(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next, String id) {
        var question = new Question(System::nanoTime, tells(call.getMethodDescriptor()));
        var listener =
                RequestScope.call(id, () -> question.during(() -> next.startCall(call, headers)));
        return new Scoped<>(
                new SimpleForwardingServerCallListener<>(listener) {
                    @Override
                    public void onHalfClose() {
                        question.during(super::onHalfClose);
                    }
                },
                id);
    }

    /// Agents tell much more than they ask.
    private static boolean tells(MethodDescriptor<?, ?> method) {
        var name = String.valueOf(method.getBareMethodName());
        return String.valueOf(method.getServiceName()).endsWith(".PipedService")
                && !name.startsWith("Get")
                && !name.startsWith("List");
    }

    /// What callers sent may stand in it, and clients give up a connection whose headers are too
    /// long.
    private static Status bounded(Status status) {
        var text = status.getDescription();
        return text == null || text.length() <= LONGEST
                ? status
                : status.withDescription(text.substring(0, LONGEST) + "…");
    }

    /// On one line, whatever a caller sent: nobody writes lines of their own into the log.
    private static void tell(String method, Status status) {
        if (status.isOk()) log.debug("{} answered", method);
        else
            log.info(
                    "{}: {} {}",
                    method,
                    status.getCode(),
                    String.valueOf(status.getDescription()).replaceAll("\\p{Cntrl}", " "));
    }

    /// Each step of a call may come on another thread.
    private static final class Scoped<Q> extends SimpleForwardingServerCallListener<Q> {
        private final String id;

        Scoped(ServerCall.Listener<Q> next, String id) {
            super(next);
            this.id = id;
        }

        @Override
        public void onMessage(Q message) {
            RequestScope.run(id, () -> super.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            RequestScope.run(id, super::onHalfClose);
        }

        @Override
        public void onCancel() {
            RequestScope.run(id, super::onCancel);
        }

        @Override
        public void onComplete() {
            RequestScope.run(id, super::onComplete);
        }

        @Override
        public void onReady() {
            RequestScope.run(id, super::onReady);
        }
    }
}
