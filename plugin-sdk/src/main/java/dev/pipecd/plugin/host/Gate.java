// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.livestate.LivestateServiceGrpc;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewServiceGrpc;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stands before every service of a plugin: nobody without the agent's token comes in, and what
/// breaks behind it ends the call, not the process.
final class Gate implements ServerInterceptor {
    private static final Logger log = LoggerFactory.getLogger(Gate.class);

    /// What a plugin with a wrong configuration does not answer.
    private static final Set<String> ASKED =
            Set.of(
                    DeploymentServiceGrpc.SERVICE_NAME,
                    LivestateServiceGrpc.SERVICE_NAME,
                    PlanPreviewServiceGrpc.SERVICE_NAME);

    private final String token;
    private final List<String> mistakes;

    /// @param mistakes in the plugin's configuration: until they are mended it does nothing, while
    ///   its neighbours in the host do
    Gate(String token, List<String> mistakes) {
        this.token = token;
        this.mistakes = List.copyOf(mistakes);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!token.isEmpty() && !known(headers.get(AgentClient.AUTHORIZATION))) {
            call.close(
                    Status.UNAUTHENTICATED.withDescription(
                            "authorization: missing or wrong (expected: PLUGIN-TOKEN and the token of this host)"),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        var method = call.getMethodDescriptor();
        if (!mistakes.isEmpty()
                && ASKED.contains(method.getServiceName())
                && method != DeploymentServiceGrpc.getFetchDefinedStagesMethod()) {
            call.close(
                    Status.FAILED_PRECONDITION.withDescription(String.join("; ", mistakes)),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        var explicit = "true".equals(headers.get(Caller.EXPLICIT_STOP));
        var context = Context.current().withValue(Caller.STOPS_EXPLICITLY, explicit);
        return new Guarded<>(Contexts.interceptCall(context, call, headers, next), call);
    }

    private boolean known(@Nullable String shown) {
        return shown != null
                && MessageDigest.isEqual(
                        shown.getBytes(StandardCharsets.UTF_8),
                        AgentClient.authorization(token).getBytes(StandardCharsets.UTF_8));
    }

    private static final class Guarded<Q, A> extends SimpleForwardingServerCallListener<Q> {
        private final ServerCall<Q, A> call;

        Guarded(ServerCall.Listener<Q> inner, ServerCall<Q, A> call) {
            super(inner);
            this.call = call;
        }

        @Override
        public void onHalfClose() {
            try {
                super.onHalfClose();
            } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
                call.close(status(e), new Metadata());
            }
        }

        private Status status(Throwable e) {
            if (e instanceof Problem problem)
                return code(problem.code().kind()).toStatus().withDescription(problem.message());
            if (e instanceof StatusRuntimeException told) return told.getStatus();
            log.error("{} broke", call.getMethodDescriptor().getFullMethodName(), e);
            return Status.INTERNAL.withDescription("the plugin broke; see its host's log");
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
}
