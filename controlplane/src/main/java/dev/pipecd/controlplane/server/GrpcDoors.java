// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.grpc.GrpcService;
import com.linecorp.armeria.server.grpc.GrpcServiceBuilder;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.wire.rules.RequestRules;
import dev.pipecd.wire.rules.RequestRulesInterceptor;
import io.grpc.BindableService;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Puts gRPC handlers on a port, all behind the same interceptors: log, who calls, request rules,
/// counting.
public final class GrpcDoors {
    static final int LARGEST_MESSAGE = 4 * 1024 * 1024;

    /// Of what is read before anybody has said who he is.
    public static final int LARGEST_QUESTION = 128 * 1024;

    private static final String PACKAGE = "grpc.service.";
    private static final String OLD_PACKAGE = "pipe.api.service.";

    private final List<ServerInterceptor> interceptors;
    private final List<ServerInterceptor> inner;
    private final boolean reflection;

    public GrpcDoors(
            Keyring keys,
            Sessions sessions,
            Addresses addresses,
            Metrics metrics,
            boolean reflection) {
        var rules = new RequestRulesInterceptor(new RequestRules());
        this.interceptors =
                List.of(
                        new CallLog(),
                        new Admission(keys, sessions, addresses),
                        new LongCalls(),
                        rules,
                        new LargeAnswers(Runtime.getRuntime().maxMemory()),
                        new Guard(metrics));
        this.inner = List.of(new CallLog(), rules, new Guard(metrics));
        this.reflection = reflection;
    }

    /// Armeria takes a third of the start to load; it loads while flags and configuration are read
    /// and the database is opened.
    public static void loadAhead() {
        Thread.ofPlatform().name("load-ahead").daemon().start(() -> mountHealth(Server.builder()));
    }

    private static GrpcServiceBuilder builder() {
        return GrpcService.builder()
                .supportedSerializationFormats(
                        GrpcSerializationFormats.PROTO,
                        GrpcSerializationFormats.PROTO_WEB,
                        GrpcSerializationFormats.PROTO_WEB_TEXT);
    }

    /// What balancers ask; apart, so that it takes no more than they say.
    private static void mountHealth(ServerBuilder server) {
        var health = builder().enableHealthCheckService(true).build();
        var binding = server.route().maxRequestLength(LARGEST_QUESTION);
        health.routes().forEach(binding::addRoute);
        binding.build(health);
    }

    /// Also under the names of old clients, and with the health service balancers ask.
    public void mount(ServerBuilder server, List<BindableService> services) {
        var grpc =
                builder()
                        .maxRequestMessageLength(LARGEST_MESSAGE)
                        .useBlockingTaskExecutor(true)
                        // a caller who waits less hangs up by himself
                        .useClientTimeoutHeader(false)
                        .exceptionHandler((_, status, cause, _) -> told(status, cause));
        services.forEach(service -> add(grpc, service));
        if (reflection) {
            grpc.addService(ProtoReflectionServiceV1.newInstance());
            server.service(oldReflection());
        }
        server.service(grpc.build());
        mountHealth(server);
    }

    /// The same for who is asked before anybody has said who he is.
    public void mountShort(ServerBuilder server, List<BindableService> services) {
        mount(server, services);
        server.maxRequestLength(LARGEST_QUESTION);
    }

    /// Many tools ask by the old name first, or know no other. It tells of the whole port, and
    /// stands apart because Armeria takes one of a kind.
    @SuppressWarnings("deprecation")
    private static GrpcService oldReflection() {
        return builder().addService(ProtoReflectionService.newInstance()).build();
    }

    /// For several requests of a service that come in one call, whose caller is known already.
    public Together together(BindableService service) {
        return new Together(ServerInterceptors.interceptForward(service.bindService(), inner));
    }

    private static boolean isBy(Class<? extends Throwable> type, @Nullable Throwable cause) {
        return cause != null && (type.isInstance(cause) || isBy(type, cause.getCause()));
    }

    private void add(GrpcServiceBuilder grpc, BindableService service) {
        var definition = ServerInterceptors.interceptForward(service.bindService(), interceptors);
        grpc.addService(definition);
        var name = definition.getServiceDescriptor().getName();
        if (name.startsWith(PACKAGE))
            grpc.addService("/" + OLD_PACKAGE + name.substring(PACKAGE.length()), definition);
    }

    /// What only Armeria saw: a message too large has a good status already, a caller who left is
    /// nobody's fault, one who sent what is no message is to blame himself, and what took too long
    /// may go better the next time.
    static Status told(Status status, Throwable cause) {
        if (cause instanceof ClosedStreamException) return Status.CANCELLED;
        if (isBy(RequestTimeoutException.class, cause))
            return Status.DEADLINE_EXCEEDED.withDescription(
                    "the server did not answer in time. Try again.");
        if (isBy(ContentTooLargeException.class, cause))
            return Status.RESOURCE_EXHAUSTED.withDescription(
                    "the message is larger than %d bytes. Send less at once."
                            .formatted(LARGEST_MESSAGE));
        if (isBy(InvalidProtocolBufferException.class, cause))
            return Status.INVALID_ARGUMENT.withDescription(
                    "invalid request: the message cannot be read. Send what the protocol describes.");
        return status.getCode() == Status.Code.UNKNOWN ? Faults.told(cause) : status;
    }
}
