// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.agent.proxy.Tunnels;
import dev.pipecd.agent.report.ControlPlaneClient.Security;
import dev.pipecd.domain.Problem;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.proxy.ProxyConnectException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/// How the control plane is reached.
record Connecting(String address, Security security, ProxyByEnvironment proxies) {
    private static final int LARGEST_ANSWER = 10 << 20;

    ManagedChannel open() {
        var builder =
                NettyChannelBuilder.forTarget(address)
                        .maxInboundMessageSize(LARGEST_ANSWER)
                        .keepAliveTime(20, TimeUnit.SECONDS)
                        .keepAliveTimeout(10, TimeUnit.SECONDS);
        Tunnels.to(address, proxies).ifPresent(builder::proxyDetector);
        return switch (security) {
            case Security.Plaintext() -> builder.usePlaintext().build();
            case Security.SystemRoots() -> builder.useTransportSecurity().build();
            case Security.Certificate(var file) -> {
                try {
                    yield builder.sslContext(
                                    GrpcSslContexts.forClient().trustManager(file.toFile()).build())
                            .build();
                } catch (IOException | IllegalArgumentException e) {
                    throw new Problem(
                            Problem.Code.SETTING_INVALID,
                            "--cert-file: %s (expected: a readable PEM certificate)"
                                    .formatted(file),
                            "Correct the path, or leave the flag out to trust the system's certificates.",
                            e);
                }
            }
        };
    }

    /// What it means that a call was not answered as it should be.
    static Problem problem(String address, StatusRuntimeException e) {
        var said = said(e.getStatus());
        return switch (e.getStatus().getCode()) {
            case NOT_FOUND -> new Problem(Problem.Code.NOT_FOUND, said, "");
            case INVALID_ARGUMENT, RESOURCE_EXHAUSTED ->
                    new Problem(
                            Problem.Code.REQUEST_INVALID,
                            "control plane %s does not take it (%s)".formatted(address, said),
                            "It is reached; what was to be told breaks one of its rules, or is too large for a message.",
                            e);
            case UNAUTHENTICATED ->
                    new Problem(
                            Problem.Code.CONTROL_PLANE_UNREACHABLE,
                            "control plane %s refuses this agent (%s)".formatted(address, said),
                            "Check projectID, pipedID and the key, and that the agent is enabled in the web UI.",
                            e);
            default ->
                    new Problem(
                            Problem.Code.CONTROL_PLANE_UNREACHABLE,
                            "control plane: %s does not answer (%s)".formatted(address, said),
                            "Check `apiAddress`, the network, and whether --insecure fits; the agent works on and tries again.",
                            e);
        };
    }

    /// How a call ended, in words; what a proxy says stands in the cause only.
    static String said(Status status) {
        var words =
                status.getCause() instanceof ProxyConnectException refused
                        ? "proxy " + refused.getMessage()
                        : status.getDescription();
        return status.getCode() + ": " + words;
    }
}
