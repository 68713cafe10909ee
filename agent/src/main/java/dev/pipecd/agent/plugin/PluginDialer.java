// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/// Calls a plugin that says it is ready, and asks what it offers.
record PluginDialer(String token, Executor executor) {
    private static final Metadata.Key<String> EXPLICIT_STOP =
            Metadata.Key.of("pipecd-explicit-stop", Metadata.ASCII_STRING_MARSHALLER);
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /// An open channel, and the stages the plugin can run.
    record Connection(ManagedChannel channel, List<String> stages) {}

    Connection dial(int port) {
        var headers = new Metadata();
        headers.put(TokenGate.AUTHORIZATION, TokenGate.bearer(token));
        // A call that breaks off is a lost connection, not an order to stop.
        headers.put(EXPLICIT_STOP, "true");
        var channel =
                NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                        .usePlaintext()
                        .executor(executor)
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
        try {
            var offered =
                    DeploymentServiceGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(PATIENCE)
                            .fetchDefinedStages(FetchDefinedStagesRequest.getDefaultInstance());
            return new Connection(channel, offered.getStagesList());
        } catch (StatusRuntimeException e) {
            channel.shutdownNow();
            throw Status.UNAVAILABLE
                    .withDescription("port %d: %s".formatted(port, e.getStatus()))
                    .asRuntimeException();
        }
    }
}
