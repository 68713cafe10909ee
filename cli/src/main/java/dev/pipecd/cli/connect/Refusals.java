// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.connect;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import io.grpc.StatusRuntimeException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/// Turns a failed call into a sentence with advice for the person at the terminal.
final class Refusals {
    private Refusals() {}

    static Problem problem(Endpoint endpoint, StatusRuntimeException failure) {
        var status = failure.getStatus();
        var told = Optional.ofNullable(status.getDescription()).orElse(status.getCode().name());
        var key = endpoint.key().source();
        return switch (status.getCode()) {
            case UNAUTHENTICATED ->
                    new Problem(
                            Code.UNAUTHENTICATED,
                            "API key: that of %s (expected: one that %s knows and that is enabled)"
                                    .formatted(key, endpoint.address()),
                            "Check that it is whole, enabled and of this control plane, or ask an administrator for a new one.",
                            failure);
            case PERMISSION_DENIED ->
                    new Problem(
                            Code.PERMISSION_DENIED,
                            "API key: that of %s may not do this: %s".formatted(key, told),
                            unlessAdvised(
                                    told,
                                    "Use a key with the role READ_WRITE, of the same project."),
                            failure);
            case NOT_FOUND ->
                    new Problem(
                            Code.NOT_FOUND,
                            told,
                            unlessAdvised(
                                    told,
                                    "Check the id: `pipectl application list` and `pipectl deployment list` show those there are."),
                            failure);
            case INVALID_ARGUMENT ->
                    new Problem(
                            Code.REQUEST_INVALID,
                            told,
                            unlessAdvised(told, "Correct the flags and try again."),
                            failure);
            case FAILED_PRECONDITION, ALREADY_EXISTS ->
                    new Problem(Code.PRECONDITION_FAILED, told, "", failure);
            case UNIMPLEMENTED ->
                    new Problem(
                            Code.SETTING_INVALID,
                            "--address: %s (expected: the API of a control plane)"
                                    .formatted(endpoint.address()),
                            "It answers, but does not know this call: check the port.",
                            failure);
            case RESOURCE_EXHAUSTED ->
                    new Problem(
                            Code.REQUEST_INVALID,
                            "The control plane refused so much at once: " + told,
                            unlessAdvised(told, "Send less at once, or try again later."),
                            failure);
            case DEADLINE_EXCEEDED ->
                    unreachable(endpoint, "it did not answer within 30 seconds", failure);
            case UNAVAILABLE -> unavailable(endpoint, told, failure);
            default -> failed(endpoint, told, failure);
        };
    }

    private static Problem failed(Endpoint endpoint, String told, StatusRuntimeException failure) {
        // Of the library, not of a server.
        if (told.equals("http2 exception"))
            return unreachable(endpoint, "what answers there does not speak gRPC", failure);
        return new Problem(
                Code.INTERNAL,
                "The control plane failed: " + told.replaceFirst("\\.+$", ""),
                "See its log for the cause.",
                failure);
    }

    /// Our control plane ends what it says with advice of its own; the public one does not.
    private static String unlessAdvised(String told, String advice) {
        return told.endsWith(".") ? "" : advice;
    }

    static Problem unreachable(Endpoint endpoint, String why, Throwable cause) {
        return new Problem(
                Code.CONTROL_PLANE_UNREACHABLE,
                "--address: %s (expected: a control plane that answers; %s)"
                        .formatted(endpoint.address(), why),
                (endpoint.hasPort() ? "" : "Give the port too, as host:port. ")
                        + adviceFor(endpoint.transport()),
                cause);
    }

    private static String adviceFor(Transport transport) {
        return switch (transport) {
            case Transport.Plaintext() ->
                    "Check address and port, that the server runs, and that it speaks plaintext there; without --insecure TLS is used.";
            case Transport.TrustedByRuntime(), Transport.TrustedByFile(_) ->
                    "Check address and port, that the server runs, and that it speaks TLS there; --insecure uses plaintext.";
        };
    }

    private static Problem unavailable(
            Endpoint endpoint, String told, StatusRuntimeException failure) {
        if (caused(failure, UnknownHostException.class))
            return unreachable(endpoint, "the host name is unknown", failure);
        if (caused(failure, ConnectException.class))
            return unreachable(endpoint, "nothing listens there", failure);
        if (caused(failure, CertificateException.class))
            return new Problem(
                    Code.CONTROL_PLANE_UNREACHABLE,
                    "--address: %s (expected: a certificate that is trusted)"
                            .formatted(endpoint.address()),
                    "Give the certificate of the server's authority with --cert-file, and check that it names this host.",
                    failure);
        if (caused(failure, SSLException.class))
            return unreachable(endpoint, "TLS could not be agreed on", failure);
        // A sentence with advice is from a control plane of ours, so the address is right.
        return told.endsWith(".")
                ? new Problem(
                        Code.STORE_UNAVAILABLE,
                        "The control plane cannot do it now: " + told,
                        "",
                        failure)
                : unreachable(endpoint, told, failure);
    }

    private static boolean caused(Throwable failure, Class<? extends Throwable> kind) {
        for (var each = failure; each != null; each = each.getCause())
            if (kind.isInstance(each)) return true;
        return false;
    }
}
