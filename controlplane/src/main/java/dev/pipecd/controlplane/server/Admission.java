// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Cookies;
import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.change.Origin;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.function.Supplier;

/// Finds out who calls, by the credentials the called service asks for; everybody else is sent away
/// before a handler sees the request.
final class Admission implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> COOKIE =
            Metadata.Key.of("cookie", Metadata.ASCII_STRING_MARSHALLER);

    private final Keyring keys;
    private final Sessions sessions;
    private final Addresses addresses;

    Admission(Keyring keys, Sessions sessions, Addresses addresses) {
        this.keys = keys;
        this.sessions = sessions;
        this.addresses = addresses;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Context admitted;
        try {
            admitted =
                    admit(
                            String.valueOf(call.getMethodDescriptor().getServiceName()),
                            headers,
                            addresses.of(headers));
        } catch (RuntimeException e) {
            call.close(Faults.told(e), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(admitted, call, headers, next);
    }

    private Context admit(String service, Metadata headers, String address) {
        return switch (service) {
            case "grpc.service.pipedservice.PipedService", "pipecd.link.v1.LinkService" ->
                    admit(new Origin(Origin.Via.AGENT, address), () -> agent(headers));
            case "grpc.service.apiservice.APIService", "pipecd.delivery.v1.DeliveryService" ->
                    admit(new Origin(Origin.Via.API, address), () -> keyHolder(headers));
            case "grpc.service.webservice.WebService",
                    "pipecd.session.v1.SessionService",
                    "pipecd.audit.v1.AuditService",
                    "pipecd.health.v1.HealthService" ->
                    new Origin(Origin.Via.WEB, address).in(person(headers));
            // The proxy asks; whom it asks about stands in the request.
            case "envoy.service.auth.v3.Authorization" -> Context.current();
            default -> throw Credentials.unauthenticated();
        };
    }

    /// Wrong keys are counted by where they come from.
    private static Context admit(Origin origin, Supplier<Context> known) {
        var there = origin.in(Context.current());
        var before = there.attach();
        try {
            return known.get();
        } finally {
            there.detach(before);
        }
    }

    private Context agent(Metadata headers) {
        if (!(credentials(headers) instanceof Credentials.PipedToken token))
            throw Credentials.unauthenticated();
        return as(keys.agent(token)).withValue(Credentials.CURRENT_PIPED_TOKEN, token);
    }

    private Context keyHolder(Metadata headers) {
        if (!(credentials(headers) instanceof Credentials.ApiKey key))
            throw Credentials.unauthenticated();
        return as(keys.keyHolder(key));
    }

    private Context person(Metadata headers) {
        var cookies = headers.getAll(COOKIE);
        var session =
                Cookies.named("token", cookies == null ? "" : String.join(";", cookies))
                        .flatMap(sessions::find)
                        .orElseThrow(Credentials::unauthenticated);
        return as(session.person()).withValue(Sessions.CURRENT, session);
    }

    private static Context as(Caller caller) {
        return Context.current().withValue(Caller.CURRENT, caller);
    }

    private static Credentials credentials(Metadata headers) {
        var header = headers.get(AUTHORIZATION);
        if (header == null) throw Credentials.missing();
        return Credentials.parse(header.strip());
    }
}
