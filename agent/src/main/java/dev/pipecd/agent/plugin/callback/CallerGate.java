// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.callback;

import dev.pipecd.domain.Problem;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Stands before everything plugins may call. Who comes in has the token of this agent, or is a
/// process this agent started: public plugins know no token. What breaks behind it ends the call
/// only.
public final class CallerGate implements ServerInterceptor {
    public static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /// From which port of this machine a call comes; 0 when that is not known.
    static final Context.Key<Integer> PORT = Context.keyWithDefault("port", 0);

    private static final Logger log = LoggerFactory.getLogger(CallerGate.class);

    private final byte[] expected;
    private final Acquaintances acquaintances;

    public CallerGate(String token, Acquaintances acquaintances) {
        this.expected = bearer(token).getBytes(StandardCharsets.UTF_8);
        this.acquaintances = acquaintances;
    }

    public static String bearer(String token) {
        return "PLUGIN-TOKEN " + token;
    }

    /// Knows the connections that plugins without a token hold.
    public interface Acquaintances {
        boolean holds(int theirPort, int ourPort);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        var shown = headers.get(AUTHORIZATION);
        if ((shown == null || !known(shown)) && !known(call.getAttributes())) {
            call.close(
                    Status.UNAUTHENTICATED.withDescription(
                            "authorization: missing or wrong (expected: PLUGIN-TOKEN and the token"
                                    + " this agent gave its plugin host, or a plugin this agent started)"),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        var theirs = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        var context =
                Context.current()
                        .withValue(PORT, theirs instanceof InetSocketAddress at ? at.getPort() : 0);
        return new SimpleForwardingServerCallListener<>(
                Contexts.interceptCall(context, call, headers, next)) {
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

    private boolean known(String shown) {
        return MessageDigest.isEqual(shown.getBytes(StandardCharsets.UTF_8), expected);
    }

    /// Asked once a connection: it does not change hands.
    private boolean known(Attributes connection) {
        var verdict = connection.get(PluginService.VERDICT);
        if (verdict == null) return false;
        synchronized (verdict) {
            if (verdict.get()) return true;
            if (connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress theirs
                    && connection.get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR)
                            instanceof InetSocketAddress ours)
                verdict.set(acquaintances.holds(theirs.getPort(), ours.getPort()));
            return verdict.get();
        }
    }

    private static Status status(ServerCall<?, ?> call, RuntimeException e) {
        if (e instanceof Problem problem) {
            // Who asks whether there is something is told by that; the rest a person must mend.
            log.atLevel(problem.code().kind() == Problem.Kind.NOT_FOUND ? Level.DEBUG : Level.WARN)
                    .log(
                            "plugin is refused call={} {}",
                            call.getMethodDescriptor().getBareMethodName(),
                            problem.told());
            return code(problem.code().kind()).toStatus().withDescription(problem.told());
        }
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
