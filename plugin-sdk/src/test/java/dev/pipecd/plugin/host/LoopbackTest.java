// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.wire.rules.RequestRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where a plugin started by the public contract listens.
class LoopbackTest {
    @TempDir Path home;

    @Test
    void agentsReachItByEitherAddressOfLocalhostAndNobodyElseDoes() throws Exception {
        var port = freePort();
        var entry = new HostConfig.Entry("own", "own", port, "{}", List.of());
        try (var agent = FakeAgent.open("");
                var client = new AgentClient(agent.address(), "")) {
            var plugin =
                    PluginServer.open(
                            new HostConfig(agent.address(), "", home, List.of(entry)),
                            entry,
                            StagePlugin.named("own"),
                            new RequestRules(),
                            client,
                            InstantSource.system());
            try {
                assertThat(answers("localhost", port)).isTrue();
                assertThat(answers("127.0.0.1", port)).isTrue();
                // A machine may have none.
                assertThat(answers("::1", port)).isEqualTo(exists("::1"));
                // As any other address of the machine, without need of a network.
                assertThat(answers("127.0.0.2", port)).isFalse();
            } finally {
                plugin.close(Duration.ofSeconds(5));
            }
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static boolean exists(String address) throws IOException {
        return NetworkInterface.getByInetAddress(InetAddress.getByName(address)) != null;
    }

    private static boolean answers(String address, int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 5000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
