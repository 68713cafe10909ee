// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Metadata;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells which address a call comes from: what a proxy says of it, where one is believed.
public final class Addresses {
    private static final Logger log = LoggerFactory.getLogger(Addresses.class);
    private static final Metadata.Key<String> FORWARDED_FOR =
            Metadata.Key.of("x-forwarded-for", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LONGEST = 64;

    private final boolean trustForwardedFor;
    private final AtomicBoolean warned = new AtomicBoolean();

    /// @param trustForwardedFor the header is believed, because an operator says that a proxy of
    ///   theirs writes it; unasked not even from this host, since a proxy there may pass on what
    ///   anybody made up
    public Addresses(boolean trustForwardedFor) {
        this.trustForwardedFor = trustForwardedFor;
    }

    public String of(ServiceRequestContext call, HttpRequest request) {
        return told(
                request.headers().get(HttpHeaderNames.X_FORWARDED_FOR, ""),
                call.remoteAddress().getAddress());
    }

    String of(Metadata headers) {
        var forwarded = headers.get(FORWARDED_FOR);
        var context = ServiceRequestContext.currentOrNull();
        return context == null
                ? ""
                : told(forwarded == null ? "" : forwarded, context.remoteAddress().getAddress());
    }

    String told(String forwarded, InetAddress remote) {
        if (forwarded.isBlank()) return shortened(remote.getHostAddress());
        if (trustForwardedFor)
            return shortened(forwarded.substring(forwarded.lastIndexOf(',') + 1).strip());
        if (warned.compareAndSet(false, true))
            log.warn(
                    "X-Forwarded-For from {} is not believed: everybody behind that address is one"
                            + " to the limits of logging in and to the audit log. If it is a proxy"
                            + " of yours that adds the caller's address to the header, start with"
                            + " --trust-forwarded-for=true.",
                    remote.getHostAddress());
        return shortened(remote.getHostAddress());
    }

    private static String shortened(String address) {
        return address.length() > LONGEST ? address.substring(0, LONGEST) : address;
    }
}
