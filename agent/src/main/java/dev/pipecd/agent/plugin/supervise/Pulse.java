// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/// Asks a plugin whether it lives: by gRPC's health service where it has one, else by a cheap call.
public final class Pulse {
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /// `HealthCheckResponse` with `status: SERVING`; nothing at all means UNKNOWN.
    private static final byte[] SERVING = {0x08, 0x01};

    /// The two small messages are spelt out, which spares the agent a library.
    private static final MethodDescriptor<byte[], byte[]> CHECK =
            MethodDescriptor.<byte[], byte[]>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName("grpc.health.v1.Health/Check")
                    .setRequestMarshaller(Bytes.INSTANCE)
                    .setResponseMarshaller(Bytes.INSTANCE)
                    .build();

    private Pulse() {}

    public static boolean beats(ManagedChannel channel) {
        try {
            var options =
                    CallOptions.DEFAULT.withDeadlineAfter(
                            PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            var answer = ClientCalls.blockingUnaryCall(channel, CHECK, options, new byte[0]);
            return Arrays.equals(answer, SERVING);
        } catch (StatusRuntimeException e) {
            return switch (e.getStatus().getCode()) {
                case UNIMPLEMENTED, NOT_FOUND -> answers(channel);
                default -> false;
            };
        }
    }

    private static boolean answers(ManagedChannel channel) {
        try {
            var _ =
                    DeploymentServiceGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(PATIENCE)
                            .fetchDefinedStages(FetchDefinedStagesRequest.getDefaultInstance());
            return true;
        } catch (StatusRuntimeException e) {
            // Whoever refuses lives.
            return e.getStatus().getCode() != Status.Code.UNAVAILABLE
                    && e.getStatus().getCode() != Status.Code.DEADLINE_EXCEEDED;
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
