// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.GetCommandRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Viewers who ask for large answers and do not take them, before one who does.
final class SlowViewersTest {
    private static final GetCommandRequest LARGE =
            GetCommandRequest.newBuilder().setCommandId("x".repeat(1024)).build();

    @Test
    void whoDoesNotTakeALargeAnswerGivesItsPlaceToOthers() throws Exception {
        var choices = RunningServer.Choices.usual().with(Duration.ofSeconds(20));
        try (var server = RunningServer.start(choices)) {
            server.times.set(24 * 1024);
            for (var n = 0; n < 2; n++) begin(channel(server));

            var taken =
                    APIServiceGrpc.newBlockingStub(channel(server))
                            .withMaxInboundMessageSize(32 << 20)
                            .withDeadlineAfter(1, TimeUnit.MINUTES)
                            .getCommand(LARGE);

            assertThat(taken.getCommand().getId()).hasSize(24 << 20);
        }
    }

    private static Channel channel(RunningServer server) {
        return server.channel("gateway", "authorization", "API-KEY id.secret");
    }

    /// Returns when the answer has begun; its caller reads no more than that.
    private static void begin(Channel channel) throws InterruptedException {
        var begun = new CountDownLatch(1);
        var call = channel.newCall(APIServiceGrpc.getGetCommandMethod(), CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onHeaders(Metadata headers) {
                        begun.countDown();
                    }
                },
                new Metadata());
        call.sendMessage(LARGE);
        call.halfClose();
        assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
    }
}
