// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/// A real gRPC server on a free port of this machine.
final class LoopbackServer implements AutoCloseable {
    private final List<String> credentials = new CopyOnWriteArrayList<>();
    private final Server server;

    private LoopbackServer(
            RecordingApiService service, int port, UnaryOperator<NettyServerBuilder> settings) {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try {
            server =
                    settings.apply(NettyServerBuilder.forAddress(address))
                            .addServices(service.services())
                            .intercept(new RecordingCredentials())
                            .build()
                            .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LoopbackServer plaintext(RecordingApiService service) {
        return new LoopbackServer(service, 0, UnaryOperator.identity());
    }

    static LoopbackServer tls(RecordingApiService service, SslContext context) {
        return new LoopbackServer(service, 0, builder -> builder.sslContext(context));
    }

    String address() {
        return "localhost:" + server.getPort();
    }

    /// What stood in `authorization`, call after call.
    List<String> credentials() {
        return credentials;
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private final class RecordingCredentials implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            credentials.add(
                    String.valueOf(
                            headers.get(
                                    Metadata.Key.of(
                                            "authorization", Metadata.ASCII_STRING_MARSHALLER))));
            return next.startCall(call, headers);
        }
    }
}
