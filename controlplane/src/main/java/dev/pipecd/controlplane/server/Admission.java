// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Cookies;
import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.access.Sessions;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/// Finds out who calls, by the credentials the called service asks for; everybody else is sent away
/// before a handler sees the request.
final class Admission implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> COOKIE =
            Metadata.Key.of("cookie", Metadata.ASCII_STRING_MARSHALLER);

    private final Keyring keys;
    private final Sessions sessions;

    Admission(Keyring keys, Sessions sessions) {
        this.keys = keys;
        this.sessions = sessions;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Context admitted;
        try {
            admitted = admit(String.valueOf(call.getMethodDescriptor().getServiceName()), headers);
        } catch (RuntimeException e) {
            call.close(Faults.told(e), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(admitted, call, headers, next);
    }

    private Context admit(String service, Metadata headers) {
        return switch (service) {
            case "grpc.service.pipedservice.PipedService", "pipecd.link.v1.LinkService" ->
                    agent(headers);
            case "grpc.service.apiservice.APIService", "pipecd.delivery.v1.DeliveryService" ->
                    keyHolder(headers);
            case "grpc.service.webservice.WebService" -> person(headers);
            // The proxy asks; whom it asks about stands in the request.
            case "envoy.service.auth.v3.Authorization" -> Context.current();
            default -> throw Credentials.unauthenticated();
        };
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
        return as(
                Cookies.named("token", cookies == null ? "" : String.join(";", cookies))
                        .flatMap(sessions::find)
                        .orElseThrow(Credentials::unauthenticated)
                        .person());
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
