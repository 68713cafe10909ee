// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import org.jspecify.annotations.Nullable;

/// What is said when a request never reached a page, or a page failed: a sentence, no insides.
final class PlainErrors implements ServerErrorHandler {
    private static final int RESOURCE_EXHAUSTED = 8;
    private static final int UNIMPLEMENTED = 12;

    @Override
    public @Nullable HttpResponse onServiceException(ServiceRequestContext call, Throwable cause) {
        return null; // Armeria knows the status; renderStatus words it
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext call,
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        if (headers != null && isGrpc(headers)) {
            if (status.code() == 413) return inGrpc(RESOURCE_EXHAUSTED, status);
            if (status.code() == 404) return inGrpc(UNIMPLEMENTED, status);
        }
        return AggregatedHttpResponse.of(
                status, MediaType.PLAIN_TEXT_UTF_8, sentence(status) + "\n");
    }

    private static boolean isGrpc(RequestHeaders headers) {
        var type = headers.contentType();
        return type != null && type.subtype().startsWith("grpc");
    }

    /// A gRPC client takes an HTTP status it does not expect for a fault of the network.
    private static AggregatedHttpResponse inGrpc(int code, HttpStatus status) {
        return AggregatedHttpResponse.of(
                ResponseHeaders.builder(HttpStatus.OK)
                        .contentType(MediaType.parse("application/grpc"))
                        .addInt("grpc-status", code)
                        .add("grpc-message", sentence(status))
                        .build());
    }

    private static String sentence(HttpStatus status) {
        return switch (status.code()) {
            case 400 -> "The request cannot be understood.";
            case 404 -> "There is nothing here.";
            case 405 -> "This path does not take that method.";
            case 413 -> "The request body is larger than allowed here.";
            case 503 -> "The server is stopping or has too much to do. Try again soon.";
            default -> status.isServerError() ? "The server failed." : status.reasonPhrase() + ".";
        };
    }
}
