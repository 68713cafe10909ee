// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.project.SsoAddresses;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What is remembered of an issuer.
final class OidcLoginTest {
    private final TestClock clock = new TestClock(Instant.parse("2026-11-16T12:00:00Z"));
    private final OidcLogin login = new OidcLogin(new Web(), clock);

    @Test
    void anIssuerThatFailedIsAskedAgainOnlyAfterAWhile() throws Exception {
        try (var issuer = new SlowIssuer()) {
            issuer.broken = true;
            for (var i = 0; i < 3; i++)
                assertThatThrownBy(() -> begin(issuer, "project one"))
                        .isInstanceOf(SignOnFailed.class);
            assertThat(issuer.asked).hasValue(1);

            issuer.broken = false;
            clock.pass(Duration.ofSeconds(5));

            assertThat(begin(issuer, "project one").toString())
                    .startsWith(issuer.url() + "/authorize?client_id=client");
            assertThat(issuer.asked).hasValue(2);
        }
    }

    @Test
    void whatOneWayCouldNotAskIsAskedForAnother() throws Exception {
        try (var issuer = new SlowIssuer()) {
            issuer.broken = true;
            assertThatThrownBy(() -> begin(issuer, "project one")).isInstanceOf(SignOnFailed.class);
            issuer.broken = false;

            assertThat(begin(issuer, "project other").getPath()).isEqualTo("/authorize");
        }
    }

    private URI begin(SlowIssuer issuer, String way) throws Exception {
        return login.begin(
                new Provider.Oidc(
                        new Provider.Client("client", "secret"),
                        issuer.url(),
                        "",
                        new Provider.Endpoints("", "", ""),
                        List.of(),
                        new Provider.Claims("", "", ""),
                        new Route(way, "", SsoAddresses.ANY)),
                new Round("state", "https://pipecd.example/auth/callback", "nonce", "verifier"));
    }
}
