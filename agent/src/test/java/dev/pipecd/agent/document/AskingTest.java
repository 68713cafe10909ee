// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.proxy.SmallProxy;
import dev.pipecd.domain.Problem;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
}
