// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.proxy.SmallProxy;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AskingTest {
    @Test
    void itLogsInAtTheProxyOnItsWay() throws Exception {
        try (var proxy = new SmallProxy("ann:pass", 1);
                var asking = new Asking(Map.of("HTTP_PROXY", proxy.url("ann:pass")))) {
            var question = HttpRequest.newBuilder(URI.create("http://secrets.example/x"));

            // The proxy's own answer is no JSON.
            assertThatThrownBy(() -> asking.ask(question))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "secrets.example: JsonParseException (expected: the agent's configuration)");
            assertThat(proxy.let).containsExactly("GET http://secrets.example/x HTTP/1.1");
        }
    }

    @Test
    @Timeout(60)
    void anAnswerThatStopsInItsMidstIsNotAwaitedForEver() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var asking = new Asking(Map.of(), Duration.ofSeconds(1))) {
            Thread.startVirtualThread(() -> answerHalf(server));
            var who = "127.0.0.1:" + server.getLocalPort();

            assertThatThrownBy(() ->
                            asking.ask(HttpRequest.newBuilder(URI.create("http://" + who + "/x"))))
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            who
                                    + ": no whole answer within 1 s (expected: the agent's configuration)");
        }
    }

    /// Its head, the begin of its body, and then nothing while the other side listens.
    private static void answerHalf(ServerSocket server) {
        try (var caller = server.accept()) {
            caller.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{".getBytes(UTF_8));
            caller.getInputStream().readAllBytes();
        } catch (IOException e) {
            // The other side is gone.
        }
    }
}
