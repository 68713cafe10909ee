// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.domain.Problem;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stands before everything plugins may call: without the token of this agent nobody comes in, and
/// what breaks behind it ends the call only.
final class TokenGate implements ServerInterceptor {
    static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Logger log = LoggerFactory.getLogger(TokenGate.class);

    private final byte[] expected;

    TokenGate(String token) {
        this.expected = bearer(token).getBytes(StandardCharsets.UTF_8);
    }

    static String bearer(String token) {
        return "PLUGIN-TOKEN " + token;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!known(headers.get(AUTHORIZATION))) {
            call.close(
                    Status.UNAUTHENTICATED.withDescription(
                            "authorization: missing or wrong (expected: PLUGIN-TOKEN and the token"
                                    + " this agent gave its plugin host)"),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onHalfClose() {
                try {
                    super.onHalfClose();
                } catch (RuntimeException e) {
                    call.close(status(call, e), new Metadata());
                }
            }
        };
    }

    private boolean known(@Nullable String shown) {
        return shown != null
                && MessageDigest.isEqual(shown.getBytes(StandardCharsets.UTF_8), expected);
    }

    private static Status status(ServerCall<?, ?> call, RuntimeException e) {
        if (e instanceof Problem problem)
            return code(problem.code().kind()).toStatus().withDescription(problem.told());
        if (e instanceof StatusRuntimeException told) return told.getStatus();
        log.error("{} broke", call.getMethodDescriptor().getFullMethodName(), e);
        return Status.INTERNAL.withDescription("the agent broke; see its log");
    }

    private static Status.Code code(Problem.Kind kind) {
        return switch (kind) {
            case INVALID -> Status.Code.INVALID_ARGUMENT;
            case NOT_FOUND -> Status.Code.NOT_FOUND;
            case EXISTS -> Status.Code.ALREADY_EXISTS;
            case UNAUTHENTICATED -> Status.Code.UNAUTHENTICATED;
            case DENIED -> Status.Code.PERMISSION_DENIED;
            case CONFLICT -> Status.Code.FAILED_PRECONDITION;
            case EXHAUSTED -> Status.Code.RESOURCE_EXHAUSTED;
            case UNAVAILABLE -> Status.Code.UNAVAILABLE;
            case INTERNAL -> Status.Code.INTERNAL;
        };
    }
}
