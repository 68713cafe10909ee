// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesResponse;
import io.grpc.BindableService;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/// How a plugin that tells nothing by itself is seen to live.
final class PulseTest {
    private static final byte SERVING = 1;
    private static final byte NOT_SERVING = 2;

    @Test
    void whereItHasAHealthServiceThatDecides() throws IOException {
        assertThat(beats(health(SERVING))).isTrue();
        assertThat(beats(health(NOT_SERVING))).isFalse();
    }

    @Test
    void withoutOneACheapCallDoes() throws IOException {
        assertThat(beats(new Answering(Status.OK))).isTrue();
        assertThat(beats(new Answering(Status.INTERNAL))).as("who refuses lives").isTrue();
        assertThat(beats(new Answering(Status.UNAVAILABLE))).isFalse();
    }

    private static boolean beats(BindableService service) throws IOException {
        var server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(service)
                        .build()
                        .start();
        var channel =
                ManagedChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .build();
        try {
            return Pulse.beats(channel);
        } finally {
            channel.shutdownNow();
            server.shutdownNow();
        }
    }

    /// `grpc.health.v1.Health` with an answer of one field.
    private static BindableService health(byte status) {
        var check =
                MethodDescriptor.<byte[], byte[]>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName("grpc.health.v1.Health/Check")
                        .setRequestMarshaller(Bytes.INSTANCE)
                        .setResponseMarshaller(Bytes.INSTANCE)
                        .build();
        return () ->
                ServerServiceDefinition.builder("grpc.health.v1.Health")
                        .addMethod(
                                check,
                                ServerCalls.asyncUnaryCall((_, answer) -> {
                                    answer.onNext(new byte[] {0x08, status});
                                    answer.onCompleted();
                                }))
                        .build();
    }

    private static final class Answering extends DeploymentServiceGrpc.DeploymentServiceImplBase {
        private final Status status;

        private Answering(Status status) {
            this.status = status;
        }

        @Override
        public void fetchDefinedStages(
                FetchDefinedStagesRequest request,
                StreamObserver<FetchDefinedStagesResponse> answer) {
            if (!status.isOk()) {
                answer.onError(status.asRuntimeException());
                return;
            }
            answer.onNext(FetchDefinedStagesResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
        INSTANCE;

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
