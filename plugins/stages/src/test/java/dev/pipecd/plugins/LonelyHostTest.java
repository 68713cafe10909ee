// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.plugin.testkit.FakeAgent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// A host that nobody is there for; it waits for ten seconds before it believes so, which costs
/// nothing beside other tests.
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class LonelyHostTest {
    @TempDir Path other;

    @Test
    void withoutAnAgentTheHostEndsAndSaysWhatToDo() throws Exception {
        // Bound and not listening: nobody else can take the port meanwhile.
        var nobody = new Socket();
        nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var free = nobody.getLocalPort();
        try (nobody;
                var lonely =
                        HostProcess.start(
                                other,
                                "host",
                                "--piped-plugin-service=localhost:" + free,
                                "--config-file",
                                HostProcess.config(other).toString())) {
            assertThat(lonely.awaitExit()).isEqualTo(1);
            assertThat(lonely.told())
                    .contains(
                            "--piped-plugin-service: localhost:"
                                    + free
                                    + " (expected: an agent that answers there). Plugins are started by the agent; check that"
                                    + " it runs and that the address is its plugin service.");
        }
    }

    @Test
    void aHostWhoseAgentIsGoneEnds() throws Exception {
        var gone = FakeAgent.open(HostProcess.TOKEN);
        try (var left = HostProcess.start(gone, other)) {
            await().atMost(Duration.ofMinutes(5)).until(() -> gone.heard().pings() > 0);

            gone.close();

            assertThat(left.awaitExit()).isZero();
            assertThat(left.told())
                    .contains("has been silent for 10 s: the host ends; scripts go on");
        }
    }
}
