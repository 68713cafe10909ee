// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.callback;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Hears which orders a plugin has seen that asks for those about its stage: it is answered when
/// there is another, so that one that waits does not ask ten times a second. Public plugins do not
/// say, and are answered at once.
final class SeenOrders implements ServerInterceptor {
    private static final Metadata.Key<String> HEADER =
            Metadata.Key.of("pipecd-seen-orders", Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<Set<String>> SEEN = Context.key("pipecd-seen-orders");

    /// Empty when the caller does not say.
    static Optional<Set<String>> ofCall() {
        return Optional.ofNullable(SEEN.get());
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var seen = headers.get(HEADER);
        if (seen == null) return next.startCall(call, headers);
        var context = Context.current().withValue(SEEN, Set.copyOf(List.of(seen.split(",", -1))));
        return Contexts.interceptCall(context, call, headers, next);
    }
}
