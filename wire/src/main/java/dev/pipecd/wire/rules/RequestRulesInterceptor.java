// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import com.google.protobuf.Message;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.List;

/// Stands before every handler of every port: a request that breaks a rule of its .proto file goes
/// back and is never handled.
public final class RequestRulesInterceptor implements ServerInterceptor {
    /// A status text travels in a header, and clients drop calls whose headers pass 8 KiB.
    private static final int LONGEST_TEXT = 4_000;

    private final RequestRules rules;

    public RequestRulesInterceptor(RequestRules rules) {
        this.rules = rules;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            private boolean refused;

            @Override
            public void onMessage(Q request) {
                if (refused) return;
                var violations =
                        request instanceof Message message
                                ? rules.check(message)
                                : List.<Violation>of();
                if (violations.isEmpty()) {
                    super.onMessage(request);
                    return;
                }
                refused = true;
                call.close(
                        Status.INVALID_ARGUMENT.withDescription(told(violations)), new Metadata());
            }

            @Override
            public void onHalfClose() {
                // The handler would take the missing message for an error of its own and close the
                // call again.
                if (!refused) super.onHalfClose();
            }
        };
    }

    static String told(List<Violation> violations) {
        var text = new StringBuilder("invalid request: ");
        var room = LONGEST_TEXT;
        for (var i = 0; i < violations.size(); i++) {
            var message = violations.get(i).message();
            room -= sentSize(message);
            if (room < 0)
                return text.append("and ").append(violations.size() - i).append(" more").toString();
            text.append(message).append(i + 1 < violations.size() ? "; " : "");
        }
        return text.toString();
    }

    /// On the wire all but printable ASCII is written as %XX per byte.
    private static int sentSize(String text) {
        return text.chars().map(c -> c >= ' ' && c < '~' && c != '%' ? 1 : 9).sum();
    }
}
