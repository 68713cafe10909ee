// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
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
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.util.List;

/// Puts gRPC handlers on a port, all behind the same interceptors: log, who calls, request rules,
/// counting.
public final class GrpcDoors {
    static final int LARGEST_MESSAGE = 4 * 1024 * 1024;
    private static final String PACKAGE = "grpc.service.";
    private static final String OLD_PACKAGE = "pipe.api.service.";

    private final List<ServerInterceptor> interceptors;
    private final boolean reflection;

    public GrpcDoors(
            Keyring keys,
            Sessions sessions,
            Addresses addresses,
            Metrics metrics,
            boolean reflection) {
        this.interceptors =
                List.of(
                        new CallLog(),
                        new Admission(keys, sessions, addresses),
                        new RequestRulesInterceptor(new RequestRules()),
                        new LargeAnswers(),
                        new Guard(metrics));
        this.reflection = reflection;
    }

    /// Armeria's gRPC takes a fifth of the start to load; it loads while the database is opened.
    public static void loadAhead() {
        Thread.ofPlatform()
                .name("load-ahead")
                .daemon()
                .start(() -> GrpcService.builder().enableHealthCheckService(true).build());
    }

    /// Also under the names of old clients, and with the health service balancers ask.
    public void mount(ServerBuilder server, List<BindableService> services) {
        var grpc =
                GrpcService.builder()
                        .supportedSerializationFormats(
                                GrpcSerializationFormats.PROTO,
                                GrpcSerializationFormats.PROTO_WEB,
                                GrpcSerializationFormats.PROTO_WEB_TEXT)
                        .maxRequestMessageLength(LARGEST_MESSAGE)
                        .useBlockingTaskExecutor(true)
                        .useClientTimeoutHeader(true)
                        .enableHealthCheckService(true)
                        .exceptionHandler((_, status, cause, _) -> told(status, cause));
        services.forEach(service -> add(grpc, service));
        if (reflection) grpc.addService(ProtoReflectionServiceV1.newInstance());
        server.service(grpc.build());
        // A stream lives as long as both sides wish.
        server.decorator("prefix:/pipecd.link.v1.LinkService/", GrpcDoors::withoutDeadline);
    }

    private void add(GrpcServiceBuilder grpc, BindableService service) {
        var definition = ServerInterceptors.interceptForward(service.bindService(), interceptors);
        grpc.addService(definition);
        var name = definition.getServiceDescriptor().getName();
        if (name.startsWith(PACKAGE))
            grpc.addService("/" + OLD_PACKAGE + name.substring(PACKAGE.length()), definition);
    }

    /// What only Armeria saw: a message too large has a good status already, a caller who left is
    /// nobody's fault.
    private static Status told(Status status, Throwable cause) {
        if (cause instanceof ClosedStreamException) return Status.CANCELLED;
        return status.getCode() == Status.Code.UNKNOWN ? Faults.told(cause) : status;
    }

    private static HttpResponse withoutDeadline(
            HttpService next, ServiceRequestContext call, HttpRequest request) throws Exception {
        call.clearRequestTimeout();
        return next.serve(call, request);
    }
}
