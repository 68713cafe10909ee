// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.api.RegisterEventResponse;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationResponse;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RequestRulesInterceptorTest {
    private final List<Object> handled = new CopyOnWriteArrayList<>();
    private final Server server =
            NettyServerBuilder.forAddress(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .addService(new RecordingApiService())
                    .intercept(new RequestRulesInterceptor(new RequestRules()))
                    .build();

    private ManagedChannel channel;
    private APIServiceBlockingStub api;

    @BeforeEach
    void connect() throws IOException {
        server.start();
        channel =
                NettyChannelBuilder.forAddress("localhost", server.getPort())
                        .usePlaintext()
                        .build();
        api = APIServiceGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.shutdownNow();
    }

    @Test
    void aGoodRequestReachesItsHandler() {
        var answer =
                api.syncApplication(
                        SyncApplicationRequest.newBuilder().setApplicationId("a1").build());

        assertThat(answer.getCommandId()).isEqualTo("c1");
        assertThat(handled)
                .containsExactly(
                        SyncApplicationRequest.newBuilder().setApplicationId("a1").build());
    }

    @Test
    void aBadRequestIsRefusedWithAllItsFaultsAndNeverHandled() {
        var refusal = refusal(RegisterEventRequest.getDefaultInstance());

        assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal.getStatus().getDescription())
                .isEqualTo(
                        "invalid request: name: \"\" (expected: at least 1 character); "
                                + "data: \"\" (expected: at least 1 character)");
        assertThat(handled).isEmpty();
    }

    @Test
    void theRefusalOfAVeryBadRequestStillFitsIntoAHeader() {
        var request = RegisterEventRequest.newBuilder();
        for (var i = 0; i < 500; i++) request.putContexts("é".repeat(40) + i, "");

        var refusal = refusal(request.build());

        assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal.getStatus().getDescription())
                .startsWith("invalid request: name: ")
                .endsWith(" more");
        assertThat(handled).isEmpty();
    }

    private StatusRuntimeException refusal(RegisterEventRequest request) {
        return catchThrowableOfType(StatusRuntimeException.class, () -> api.registerEvent(request));
    }

    private final class RecordingApiService extends APIServiceGrpc.APIServiceImplBase {
        @Override
        public void syncApplication(
                SyncApplicationRequest request, StreamObserver<SyncApplicationResponse> answer) {
            handled.add(request);
            answer.onNext(SyncApplicationResponse.newBuilder().setCommandId("c1").build());
            answer.onCompleted();
        }

        @Override
        public void registerEvent(
                RegisterEventRequest request, StreamObserver<RegisterEventResponse> answer) {
            handled.add(request);
            answer.onNext(RegisterEventResponse.newBuilder().setEventId("e1").build());
            answer.onCompleted();
        }
    }
}
