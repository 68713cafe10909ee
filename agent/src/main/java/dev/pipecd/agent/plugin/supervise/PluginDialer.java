// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.agent.plugin.callback.CallerGate;
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
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls a plugin that is ready, and asks what it offers.
///
/// @param patience its first answer may take as long as its start: it loads what it answers with
public record PluginDialer(String token, Executor executor, Duration patience) {
    private static final Logger log = LoggerFactory.getLogger(PluginDialer.class);
    private static final Metadata.Key<String> EXPLICIT_STOP =
            Metadata.Key.of("pipecd-explicit-stop", Metadata.ASCII_STRING_MARSHALLER);
    private static final int MOST_STAGES = 1000;

    /// An open channel, and the stages the plugin can run.
    record Connection(ManagedChannel channel, List<String> stages) {}

    /// One of ours, which has the token.
    Connection dial(int port) {
        var channel = channel(port, TokenShown.YES);
        try {
            return new Connection(channel, stages(channel));
        } catch (StatusRuntimeException e) {
            channel.shutdownNow();
            throw Status.UNAVAILABLE
                    .withDescription("port %d: %s".formatted(port, e.getStatus()))
                    .asRuntimeException();
        }
    }

    /// One of somebody else's, which must not see the token; empty while it does not answer.
    Optional<Connection> dialOther(int port) {
        var channel = channel(port, TokenShown.NO);
        try {
            return Optional.of(new Connection(channel, stages(channel)));
        } catch (StatusRuntimeException e) {
            // It may have live state only.
            if (e.getStatus().getCode() == Status.Code.UNIMPLEMENTED)
                return Optional.of(new Connection(channel, List.of()));
            channel.shutdownNow();
            log.debug("plugin does not answer yet port={}", port, e);
            return Optional.empty();
        }
    }

    private List<String> stages(ManagedChannel channel) {
        return DeploymentServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(patience)
                .fetchDefinedStages(FetchDefinedStagesRequest.getDefaultInstance())
                .getStagesList()
                .stream()
                .filter(stage -> !stage.isBlank())
                .limit(MOST_STAGES)
                .toList();
    }

    private ManagedChannel channel(int port, TokenShown shown) {
        var headers = new Metadata();
        if (shown == TokenShown.YES)
            headers.put(CallerGate.AUTHORIZATION, CallerGate.bearer(token));
        // A call that breaks off is a lost connection, not an order to stop.
        headers.put(EXPLICIT_STOP, "true");
        return NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .usePlaintext()
                .executor(executor)
                .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                .build();
    }

    private enum TokenShown {
        YES,
        NO
    }
}
