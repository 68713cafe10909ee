// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.audit.AuditServiceGrpc;
import dev.pipecd.wire.authz.AuthorizationGrpc;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.health.HealthServiceGrpc;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.stream.Stream;

/// Every service of a server, by who comes in. `EveryRequestTest` compares it with what a server
/// says of itself.
final class Doors {
    static final List<ServiceDescriptor> FOR_AGENTS =
            List.of(
                    PipedServiceGrpc.getServiceDescriptor(),
                    LinkServiceGrpc.getServiceDescriptor());
    static final List<ServiceDescriptor> FOR_PEOPLE =
            List.of(
                    WebServiceGrpc.getServiceDescriptor(),
                    SessionServiceGrpc.getServiceDescriptor(),
                    AuditServiceGrpc.getServiceDescriptor(),
                    HealthServiceGrpc.getServiceDescriptor());
    static final List<ServiceDescriptor> FOR_KEYS =
            List.of(
                    APIServiceGrpc.getServiceDescriptor(),
                    DeliveryServiceGrpc.getServiceDescriptor());

    /// On a port of its own, for a gateway that asks about others.
    static final List<ServiceDescriptor> FOR_GATEWAYS =
            List.of(AuthorizationGrpc.getServiceDescriptor());

    /// All that ask their caller who he is.
    static final List<ServiceDescriptor> ALL =
            Stream.of(FOR_AGENTS, FOR_PEOPLE, FOR_KEYS).flatMap(List::stream).toList();

    private Doors() {}
}
