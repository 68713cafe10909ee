// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import java.net.InetSocketAddress;

/// Tells which address a call comes from.
///
/// @param trustForwardedFor the header is believed only when an operator says that a proxy of
///   theirs writes it
public record Addresses(boolean trustForwardedFor) {
    private static final Metadata.Key<String> FORWARDED_FOR =
            Metadata.Key.of("x-forwarded-for", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LONGEST = 64;

    public String of(ServiceRequestContext call, HttpRequest request) {
        return told(
                request.headers().get(HttpHeaderNames.X_FORWARDED_FOR, ""),
                call.remoteAddress().getAddress().getHostAddress());
    }

    String of(ServerCall<?, ?> call, Metadata headers) {
        var forwarded = headers.get(FORWARDED_FOR);
        var remote = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        return told(
                forwarded == null ? "" : forwarded,
                remote instanceof InetSocketAddress socket
                        ? socket.getAddress().getHostAddress()
                        : "");
    }

    private String told(String forwarded, String remote) {
        if (!trustForwardedFor || forwarded.isBlank()) return remote;
        var last = forwarded.substring(forwarded.lastIndexOf(',') + 1).strip();
        return last.length() > LONGEST ? last.substring(0, LONGEST) : last;
    }
}
