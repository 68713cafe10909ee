// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.connect;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc.DeliveryServiceBlockingStub;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import io.grpc.stub.MetadataUtils;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLException;

/// An open connection to the control plane; what goes wrong on it comes out as a `Problem` with
/// advice.
public final class ApiConnection implements AutoCloseable {
    /// Only silence is waited for: a refused connection is told at once.
    private static final Duration DIAL_LIMIT = Duration.ofSeconds(30);

    private static final Duration CALL_LIMIT = Duration.ofSeconds(30);
    private static final int LARGEST_ANSWER = 64 << 20;
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /// What the library would log arrives here as an error and is told once, in our words. Held,
    /// because a logger nobody holds forgets its level.
    private static final Logger LIBRARY = Logger.getLogger("io.grpc");

    private final Endpoint endpoint;
    private final ManagedChannel channel;
    private final APIServiceBlockingStub api;
    private final DeliveryServiceBlockingStub ours;

    private ApiConnection(Endpoint endpoint, ManagedChannel channel) {
        var headers = new Metadata();
        headers.put(AUTHORIZATION, "API-KEY " + endpoint.key().secret());
        this.endpoint = endpoint;
        this.channel = channel;
        var withKey = MetadataUtils.newAttachHeadersInterceptor(headers);
        this.api = APIServiceGrpc.newBlockingStub(channel).withInterceptors(withKey);
        this.ours = DeliveryServiceGrpc.newBlockingStub(channel).withInterceptors(withKey);
    }

    public static ApiConnection open(Endpoint endpoint) {
        return open(endpoint, DIAL_LIMIT);
    }

    static ApiConnection open(Endpoint endpoint, Duration dialLimit) {
        LIBRARY.setLevel(Level.OFF);
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        var builder =
                NettyChannelBuilder.forTarget(endpoint.address())
                        .maxInboundMessageSize(LARGEST_ANSWER);
        switch (endpoint.transport()) {
            case Transport.Plaintext() -> builder.usePlaintext();
            case Transport.TrustedByRuntime() -> builder.useTransportSecurity();
            case Transport.TrustedByFile(var file) -> builder.sslContext(trusting(file));
        }
        var connection = new ApiConnection(endpoint, builder.build());
        try {
            connection.dial(dialLimit);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    private static SslContext trusting(Path file) {
        var expected = "--cert-file: %s (expected: a file of PEM certificates)".formatted(file);
        if (!Files.isReadable(file))
            throw new Problem(
                    Code.SETTING_INVALID, expected, "Correct the path or the file's permissions.");
        try {
            return GrpcSslContexts.configure(GrpcSslContexts.forClient(), SslProvider.JDK)
                    .trustManager(file.toFile())
                    .build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    expected,
                    "Give the certificate of the server's authority in PEM form.",
                    e);
        }
    }

    private void dial(Duration limit) {
        var settled = new CountDownLatch(1);
        await(settled);
        try {
            if (!settled.await(limit.toMillis(), TimeUnit.MILLISECONDS))
                throw Refusals.unreachable(
                        endpoint,
                        "nothing answered within %d s".formatted(limit.toSeconds()),
                        Status.UNAVAILABLE.asException());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusals.unreachable(endpoint, "interrupted", e);
        }
        if (channel.getState(false) == ConnectivityState.READY) return;
        // Nothing is sent without a connection: the call only brings out why there is none.
        ask(stub -> stub.getCommand(GetCommandRequest.getDefaultInstance()));
    }

    private void await(CountDownLatch settled) {
        var state = channel.getState(true);
        if (state == ConnectivityState.READY || state == ConnectivityState.TRANSIENT_FAILURE)
            settled.countDown();
        else channel.notifyWhenStateChanged(state, () -> await(settled));
    }

    public <A> A ask(Function<APIServiceBlockingStub, A> call) {
        try {
            return call.apply(api.withDeadlineAfter(CALL_LIMIT));
        } catch (StatusRuntimeException e) {
            throw Refusals.problem(endpoint, e);
        }
    }

    /// A call that only our control plane offers: empty from another one.
    public <A> Optional<A> askOurs(Function<DeliveryServiceBlockingStub, A> call) {
        try {
            return Optional.of(call.apply(ours.withDeadlineAfter(CALL_LIMIT)));
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.UNIMPLEMENTED) return Optional.empty();
            throw Refusals.problem(endpoint, e);
        }
    }

    /// Tries at once instead of in the library's own, ever longer, time.
    public void reconnect() {
        channel.resetConnectBackoff();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
