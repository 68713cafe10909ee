// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.config.ControlPlaneConfig.Reach;
import dev.pipecd.controlplane.project.SsoAddresses;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Asking others who may be slow.
@Timeout(60)
final class WebTest {
    private static final Route ONE = new Route("project one", "", SsoAddresses.ANY);
    private static final Route OTHER = new Route("project other", "", SsoAddresses.ANY);

    private static final Route OWN = new Route("project own", "", new SsoAddresses(Reach.NETWORK));

    private SlowIssuer issuer;

    @BeforeEach
    void start() throws Exception {
        issuer = new SlowIssuer();
    }

    @AfterEach
    void stop() {
        issuer.close();
    }

    @Test
    void aBodyThatNeverComesIsNotWaitedFor() {
        var web = new Web(Duration.ofMillis(500));

        assertThatThrownBy(() -> web.get(issuer.at("/slow"), ONE))
                .isInstanceOf(SignOnFailed.class)
                .hasMessage("127.0.0.1 took too long to answer.");
    }

    @Test
    void whoLogsInIsNotToldWhatAHostAnswered() {
        issuer.broken = true;

        assertThatThrownBy(() -> new Web().get(issuer.at("/"), ONE))
                .hasMessage("127.0.0.1 answered with status 500.")
                .extracting(e -> ((SignOnFailed) e).text())
                .isEqualTo(
                        "The other system did not answer as it should. Why is in the log of the"
                                + " control plane.");
    }

    @Test
    void aNameThatLeadsToThisMachineIsNotAskedForAProjectsOwnSettings() throws Exception {
        for (var host : List.of("127.0.0.1", "localhost")) {
            var there = URI.create(issuer.url().replace("127.0.0.1", host));

            assertThatThrownBy(() -> new Web().get(there, OWN))
                    .hasMessageStartingWith(host + " has an address that a project's own");
        }
        assertThat(issuer.asked).hasValue(0);
    }

    @Test
    void aProxyOnThisMachineIsNotAskedForAProjectsOwnSettings() {
        var way = new Route("project one", issuer.url(), new SsoAddresses(Reach.NETWORK));

        assertThatThrownBy(() -> new Web().get(URI.create("http://hub.invalid/"), way))
                .hasMessageStartingWith("127.0.0.1 has an address");
        assertThat(issuer.asked).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({"u:p, u:p@", "ann:p@ss:word, ann:p%40ss:word@", "ann:, ann@"})
    void aProxyThatWantsAPasswordIsGivenThatOfItsUrl(String login, String written)
            throws Exception {
        try (var proxy = new LockedProxy(login)) {
            var way = new Route("project one", proxy.url(written), SsoAddresses.ANY);

            var answer = new Web().get(URI.create("http://hub.invalid/user"), way);

            assertThat(answer.path("through").asText()).isEqualTo("the proxy");
            assertThat(proxy.let).containsExactly("GET http://hub.invalid/user HTTP/1.1");
        }
    }

    /// Java decides once in a process whether it shows passwords on the way to a tunnel; here
    /// another test may have let it.
    @Test
    void aProxyIsGivenThePasswordOnTheWayToATunnelToo() throws Exception {
        try (var proxy = new LockedProxy("u:p")) {
            var asking =
                    new ProcessBuilder(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    Tunnelling.class.getName(),
                                    proxy.url("u:p@"))
                            .inheritIO()
                            .start();

            asking.waitFor();

            assertThat(proxy.let).contains("CONNECT hub.invalid:443 HTTP/1.1");
        }
    }

    static final class Tunnelling {
        public static void main(String[] args) throws Exception {
            var way = new Route("project one", args[0], SsoAddresses.ANY);
            assertThatThrownBy(() -> new Web().get(URI.create("https://hub.invalid/"), way))
                    .isInstanceOf(SignOnFailed.class);
        }
    }

    @Test
    void aProxyThatIsNotSpokenToInHttpIsNotSpokenTo() throws Exception {
        try (var proxy = new LockedProxy("u:p")) {
            var way =
                    new Route(
                            "project one",
                            proxy.url("u:p@").replace("http:", "https:"),
                            SsoAddresses.ANY);

            assertThatThrownBy(() -> new Web().get(URI.create("http://hub.invalid/"), way))
                    .hasMessage(
                            "proxyUrl of the single sign-on settings is not that of an HTTP"
                                    + " proxy.");
            assertThat(proxy.let).isEmpty();
        }
    }

    @Test
    void howeverManyWaitForOneIssuerTheOthersAreAskedAtOnce() throws Exception {
        var web = new Web(Duration.ofMinutes(5));
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            for (var i = 0; i < 40; i++) threads.submit(() -> web.get(issuer.at("/slow"), ONE));
            await().atMost(Duration.ofSeconds(30)).until(() -> issuer.asked.get() == 16);

            assertThat(web.get(issuer.at("/"), OTHER).path("issuer").asText())
                    .isEqualTo(issuer.url());

            assertThat(issuer.asked).hasValue(17);
        } finally {
            threads.shutdownNow();
        }
    }
}
