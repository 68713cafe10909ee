// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Metadata;

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

    String of(Metadata headers) {
        var forwarded = headers.get(FORWARDED_FOR);
        var context = ServiceRequestContext.currentOrNull();
        return told(
                forwarded == null ? "" : forwarded,
                context == null ? "" : context.remoteAddress().getAddress().getHostAddress());
    }

    private String told(String forwarded, String remote) {
        var address =
                trustForwardedFor && !forwarded.isBlank()
                        ? forwarded.substring(forwarded.lastIndexOf(',') + 1).strip()
                        : remote;
        return address.length() > LONGEST ? address.substring(0, LONGEST) : address;
    }
}
