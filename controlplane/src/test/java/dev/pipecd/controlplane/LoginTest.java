// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LoginTest {
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String RIGHT =
            "project=quickstart&username=hello-pipecd&password=hello-pipecd";
    private static final String WRONG = "project=quickstart&username=hello-pipecd&password=no";
    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = RunningServer.start();
    }

    /// After which no guess of another test counts.
    @BeforeEach
    void aDayPasses() {
        server.clock.pass(Duration.ofDays(1));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP", "gateway"})
    void theRightPasswordSetsTheSessionCookieAndLeadsToTheStart(String port) throws Exception {
        var answer = login(port, RIGHT);

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("location")).hasValue("/");
        assertThat(cookie(answer))
                .matches(
                        "token=[\\w-]+\\.[\\w-]+\\.[\\w-]+; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Strict");
    }

    @Test
    void theCookieOpensTheWebService() throws Exception {
        var token = cookie(login("gateway", RIGHT)).replaceFirst(";.*", "");

        var me =
                WebServiceGrpc.newBlockingStub(server.channel("gateway", "cookie", token))
                        .getMe(GetMeRequest.getDefaultInstance());

        assertThat(me.getSubject()).isEqualTo("hello-pipecd");
    }

    @Test
    void aSiteWithoutTlsMayHaveCookiesThatAreNotSecure() throws Exception {
        try (var plain = RunningServer.start(RunningServer.Choices.usual().withInsecureCookie())) {
            var answer = plain.post("HTTP", "/auth/login/static", RIGHT, "content-type", FORM);

            assertThat(cookie(answer))
                    .endsWith("; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                WRONG,
                "project=quickstart&username=nobody&password=hello-pipecd",
                "project=elsewhere&username=hello-pipecd&password=hello-pipecd",
                "project=quickstart&username=hello-pipecd&password=a-password-of-more-than-72-bytes-a-password-of-more-than-72-bytes-a-password"
            })
    void whateverIsWrongLooksTheSame(String form) throws Exception {
        var answer = login("HTTP", form);

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.headers().firstValue("location")).hasValue("/");
        assertThat(cookie(answer))
                .isEqualTo(
                        "error=Unable%20to%20log%20in%3A%20project%2C%20user%20name%20or%20password%20is%20wrong.; Path=/; Max-Age=600; Secure; SameSite=Strict");
    }

    @Test
    void anotherMethodIsToldByTheErrorCookieToo() throws Exception {
        var answer = server.get("HTTP", "/auth/login/static");

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(cookie(answer)).startsWith("error=Log%20in%20with%20the%20form");
    }

    @Test
    void anOversizedFormIsRefused() throws Exception {
        var answer = login("HTTP", RIGHT + "&more=" + "x".repeat(17 * 1024));

        assertThat(answer.statusCode()).isEqualTo(413);
    }

    @Test
    void loggingOutExpiresTheCookies() throws Exception {
        var answer = server.get("HTTP", "/auth/logout");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("location")).hasValue("/");
        assertThat(answer.headers().allValues("set-cookie"))
                .containsExactly(
                        "token=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict",
                        "state=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax");
    }

    @Test
    void guessingIsSlowedDownAndTheTextTellsHowLong() throws Exception {
        for (var i = 0; i < 5; i++)
            assertThat(cookie(login("HTTP", WRONG))).startsWith("error=Unable");

        var answer = login("HTTP", RIGHT);

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(cookie(answer))
                .startsWith(
                        "error=Too%20many%20attempts%20to%20log%20in.%20Try%20again%20in%201%20seconds.");
        assertThat(answer.headers().firstValue("retry-after")).hasValue("1");

        server.clock.pass(Duration.ofSeconds(1));
        assertThat(login("HTTP", RIGHT).statusCode()).isEqualTo(302);
    }

    /// What a proxy passes on anybody can make up.
    @Test
    void whomAProxyIsMadeToNameHasFewAttemptsAtAnAccountTogether() throws Exception {
        for (var i = 0; i < 20; i++)
            assertThat(cookie(told(server, "10.0.0." + i, WRONG))).startsWith("error=Unable");

        assertThat(cookie(told(server, "10.0.0.99", RIGHT)))
                .startsWith("error=Too%20many%20attempts");
        server.clock.pass(Duration.ofSeconds(10));
        assertThat(told(server, "10.0.0.99", RIGHT).statusCode()).isEqualTo(302);
    }

    /// Behind such a proxy everybody has one address.
    @Test
    void whoLogsInThroughAProxyIsLetInWhileAnotherGuessesThroughIt() throws Exception {
        for (var i = 0; i < 60; i++) {
            server.clock.pass(Duration.ofSeconds(10));
            var _ = told(server, "10.0.0.1", WRONG.replace("hello-pipecd", "user-" + i));
            var _ = told(server, "10.0.0.1", WRONG);
        }
        assertThat(cookie(told(server, "10.0.0.1", WRONG))).startsWith("error=Too%20many");

        assertThat(told(server, "10.0.0.9", RIGHT).statusCode()).isEqualTo(302);
    }

    @Test
    void guessingThroughAProxyThatIsTrustedIsCountedWhereItComesFrom() throws Exception {
        try (var trusting = RunningServer.start(RunningServer.Choices.usual().withForwardedFor())) {
            for (var i = 0; i < 5; i++) {
                var _ = told(trusting, "10.0.0.1", WRONG);
            }

            assertThat(cookie(told(trusting, "10.0.0.1", RIGHT)))
                    .startsWith("error=Too%20many%20attempts");
            assertThat(told(trusting, "10.0.0.9", RIGHT).statusCode()).isEqualTo(302);
        }
    }

    private static HttpResponse<String> told(RunningServer asked, String address, String form)
            throws Exception {
        return asked.post(
                "HTTP",
                "/auth/login/static",
                form,
                "content-type",
                FORM,
                "x-forwarded-for",
                address);
    }

    /// Behind a proxy that tells nothing all browsers have one address.
    @Test
    void aBrowserThatWasLetInBeforeIsLetInBesideOneThatGuessesFromTheSameAddress()
            throws Exception {
        var device = device(login("HTTP", RIGHT));
        for (var hour = 0; hour < 12; hour++) {
            for (var i = 0; i < 30; i++) {
                var _ = login("HTTP", WRONG);
            }
            assertThat(cookie(login("HTTP", RIGHT))).startsWith("error=Too%20many%20attempts");

            assertThat(loginOn(device, RIGHT).statusCode()).isEqualTo(302);

            server.clock.pass(Duration.ofHours(1));
        }
    }

    @Test
    void aBrowserThatWasLetInBeforeIsSlowedDownLikeAnyOther() throws Exception {
        var device = device(login("HTTP", RIGHT));
        for (var i = 0; i < 5; i++) {
            var _ = loginOn(device, WRONG);
        }

        assertThat(cookie(loginOn(device, RIGHT))).startsWith("error=Too%20many%20attempts");
    }

    /// As somebody may have kept them who knew the password before it was changed.
    @Test
    void manyBrowsersThatWereLetInBeforeDoNotMakeManyGuesses() throws Exception {
        var kept = new ArrayList<String>();
        for (var i = 0; i < 6; i++) kept.add(device(login("HTTP", RIGHT)));

        for (var device : kept.subList(0, 5))
            for (var i = 0; i < 5; i++)
                assertThat(cookie(loginOn(device, WRONG))).startsWith("error=Unable");

        assertThat(cookie(loginOn(kept.getLast(), RIGHT)))
                .startsWith("error=Too%20many%20attempts");
        server.clock.pass(Duration.ofMinutes(2));
        assertThat(loginOn(kept.getLast(), RIGHT).statusCode()).isEqualTo(302);
    }

    @Test
    void whatABrowserKeepsIsOfOneAccountAndCannotBeMadeUp() throws Exception {
        var device = device(login("HTTP", RIGHT));
        for (var i = 0; i < 20; i++) {
            var _ = login("HTTP", WRONG.replace("hello-pipecd", "user-" + i));
        }

        assertThat(cookie(loginOn("device=mine." + "0".repeat(32), RIGHT)))
                .startsWith("error=Too%20many%20attempts");
        assertThat(cookie(loginOn(device, WRONG.replace("hello-pipecd", "other"))))
                .startsWith("error=Too%20many%20attempts");
    }

    private static String device(HttpResponse<String> answer) {
        var kept = answer.headers().allValues("set-cookie").getLast();
        assertThat(kept)
                .matches(
                        "device=[\\w.]+; Path=/; Max-Age=15552000; HttpOnly; Secure; SameSite=Strict");
        return kept.replaceFirst(";.*", "");
    }

    private static HttpResponse<String> loginOn(String device, String form) throws Exception {
        return server.post(
                "HTTP", "/auth/login/static", form, "content-type", FORM, "cookie", device);
    }

    private HttpResponse<String> login(String port, String form) throws Exception {
        return server.post(port, "/auth/login/static", form, "content-type", FORM);
    }

    private static String cookie(HttpResponse<String> answer) {
        return answer.headers().firstValue("set-cookie").orElseThrow();
    }
}
