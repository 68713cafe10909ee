// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProxyByEnvironmentTest {
    @Test
    void proxiesAreTakenFromTheEnvironment() {
        var proxies =
                new ProxyByEnvironment(
                        Map.of(
                                "HTTPS_PROXY", "http://proxy.example:3128",
                                "no_proxy",
                                        "internal.example, .corp, 10.1.0.0/16, 192.168.0.7, fd00::/8, 10.9.9.9/nonsense"));

        for (var proxied :
                List.of(
                        "https://ghcr.io/x",
                        "https://10.2.0.1/",
                        "https://10.9.9.9/",
                        "https://[fe80::1]/"))
            assertThat(selected(proxies, proxied))
                    .as(proxied)
                    .isEqualTo("[HTTP @ proxy.example/<unresolved>:3128]");
        for (var direct :
                List.of(
                        "http://ghcr.io/x",
                        "https://internal.example/x",
                        "https://a.corp/",
                        "https://10.1.255.3/",
                        "https://192.168.0.7/",
                        "https://[fd12::1]/",
                        "https://[::1]:5000/",
                        "https://127.0.0.1:5000/"))
            assertThat(selected(proxies, direct)).as(direct).isEqualTo("[DIRECT]");
    }

    @Test
    void aProxyThatCannotBeUsedIsToldWithoutItsPassword() {
        for (var none : List.of("ann:pa ss@proxy", "http://", "http://ann:pass@"))
            assertThatThrownBy(() -> selected(through(none), "http://plugins.example/x"))
                    .isInstanceOf(Problem.class)
                    .hasMessage("HTTP_PROXY: no address (expected: http://HOST:PORT)");
        for (var other : List.of("socks5://proxy:1080", "https://ann:pass@proxy"))
            assertThatThrownBy(() -> selected(through(other), "http://plugins.example/x"))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            problem ->
                                    assertThat(problem.told())
                                            .isEqualTo(
                                                    "HTTP_PROXY: a proxy of the kind %s (expected: http://HOST:PORT)."
                                                                    .formatted(
                                                                            other.replaceFirst(
                                                                                    ":.*", ""))
                                                            + " Name an HTTP proxy, or put plugins.example into NO_PROXY."));
    }

    @Test
    void theLoginIsShownToTheProxyWithATunnelAndWithoutOne() throws Exception {
        try (var behind = new ServerSocket(0);
                var proxy = new SmallProxy("ann:pa:ss/1", behind.getLocalPort());
                var client = client(environment(proxy, "ann:pa:ss%2F1"))) {
            assertThat(client.get("http://plugins.example/x")).isEqualTo(SmallProxy.ANSWER);

            // Whoever is behind the tunnel does not speak TLS; that it was opened is all.
            Thread.ofVirtual().start(() -> hangUp(behind));
            assertThatThrownBy(() -> client.get("https://plugins.example/x"))
                    .isInstanceOf(IOException.class);

            assertThat(proxy.let)
                    .startsWith(
                            "GET http://plugins.example/x HTTP/1.1",
                            "CONNECT plugins.example:443 HTTP/1.1");
        }
    }

    @Test
    void aWrongLoginIsAnsweredByTheProxy() throws Exception {
        try (var proxy = new SmallProxy("ann:pass", 1);
                var client = client(environment(proxy, "ann:guess"))) {
            assertThat(client.status("http://plugins.example/x")).isEqualTo(407);
            assertThat(proxy.let).isEmpty();
        }
    }

    @Test
    void noLoginIsShownOnADirectWay() {
        var proxies = through("http://ann:pass@proxy");

        assertThat(asked(proxies, "http://plugins.example/x").headers().map())
                .containsOnlyKeys("Proxy-Authorization");
        assertThat(asked(proxies, "http://127.0.0.1/x").headers().map()).isEmpty();
    }

    private static HttpRequest asked(ProxyByEnvironment proxies, String address) {
        return proxies.request(HttpRequest.newBuilder(URI.create(address)));
    }

    private static void hangUp(ServerSocket server) {
        try {
            while (true) server.accept().close();
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static Map<String, String> environment(SmallProxy proxy, String login) {
        return Map.of("HTTP_PROXY", proxy.url(login), "HTTPS_PROXY", proxy.url(login));
    }

    private static ProxyByEnvironment through(String proxy) {
        return new ProxyByEnvironment(Map.of("HTTP_PROXY", proxy));
    }

    private static String selected(ProxyByEnvironment proxies, String address) {
        return proxies.select(URI.create(address)).toString();
    }

    private static Client client(Map<String, String> environment) {
        var proxies = new ProxyByEnvironment(environment);
        return new Client(proxies, HttpClient.newBuilder().proxy(proxies).build());
    }

    private record Client(ProxyByEnvironment proxies, HttpClient client) implements AutoCloseable {
        String get(String address) throws IOException, InterruptedException {
            return client.send(asked(proxies, address), BodyHandlers.ofString()).body();
        }

        int status(String address) throws IOException, InterruptedException {
            return client.send(asked(proxies, address), BodyHandlers.discarding()).statusCode();
        }

        @Override
        public void close() {
            client.shutdownNow();
        }
    }
}
