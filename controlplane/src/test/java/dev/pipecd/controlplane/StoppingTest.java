// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.piped.ReportStatRequest;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

final class StoppingTest {
    @Test
    void aCallInFlightIsAnsweredBeforeTheServerStops() throws Exception {
        try (var server = RunningServer.start(RunningServer.Choices.usual().calm());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var agent = server.agent("gateway");
            var call =
                    threads.submit(() ->
                            agent.reportStat(
                                    ReportStatRequest.newBuilder()
                                            .setPipedStats(ByteString.copyFromUtf8("wait"))
                                            .build()));
            server.entered.await();
            var admin = server.port("admin");
            var stopping = threads.submit(server::stop);
            // The quiet ports are closed: the server is on its way down while the call still runs.
            await().atMost(Duration.ofMinutes(1)).until(() -> !listens(admin));

            server.leave.countDown();

            assertThat(call.get().getReportInterval()).isEqualTo(1);
            stopping.get();
        }
    }

    @Test
    void browsersAreSentAwayFirst() throws Exception {
        try (var server = RunningServer.start();
                var browser =
                        EventReader.open(
                                server, "/changes", "cookie", "token=" + server.session())) {
            assertThat(browser.next().name()).isEqualTo("hello");

            server.stop();

            assertThat(browser.next()).isEqualTo(EventReader.END);
        }
    }

    @Test
    void aBusyPortIsNamedWithItsFlag() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var port = taken.getLocalPort();

            assertThatThrownBy(() ->
                            RunningServer.start(RunningServer.Choices.usual().onGateway(port)))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "--gateway-port: %d (expected: a port that is free and may be opened)"
                                    .formatted(port));
        }
    }

    private static boolean listens(int port) throws Exception {
        try (var _ = new Socket("127.0.0.1", port)) {
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }
}
