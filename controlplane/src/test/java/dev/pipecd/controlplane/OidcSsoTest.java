// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.SsoStand.cookies;
import static dev.pipecd.controlplane.SsoStand.error;
import static dev.pipecd.controlplane.SsoStand.token;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Logging in by way of an OpenID issuer.
@ResourceLock(SsoStand.LOCK)
@ResourceLock(value = "logging", mode = ResourceAccessMode.READ) // sees what is logged
final class OidcSsoTest {
    private static final SsoStand STAND = SsoStand.running();
    private static final FakeProvider PROVIDER = STAND.provider;

    @BeforeAll
    static void watch() {
        STAND.watchTheLog();
    }

    @AfterAll
    static void nothingSecretWasLogged() {
        STAND.assertNothingSecretLogged();
    }

    @BeforeEach
    void asUsual() {
        STAND.asUsual();
    }

    @Test
    void whoComesBackFromTheIssuerIsLoggedInForAsLongAsTheSettingsSay() throws Exception {
        var answer = STAND.through("open");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("location")).hasValue("/");
        assertThat(cookies(answer))
                .anyMatch(c ->
                        c.startsWith("token=")
                                && c.endsWith("; Path=/; Max-Age=7200; HttpOnly; SameSite=Strict"))
                .contains("state=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
        var token = token(answer);
        var me =
                WebServiceGrpc.newBlockingStub(STAND.as(token))
                        .getMe(GetMeRequest.getDefaultInstance());
        assertThat(me.getSubject()).isEqualTo("ann");
        assertThat(me.getAvatarUrl()).isEqualTo("https://pictures/1");
        assertThat(STAND.permissions(token).getRolesList()).containsExactly("Editor");
    }

    @Test
    void theLoginLeadsToTheIssuerWithStateNonceAndChallengeInThePublicForm() throws Exception {
        var begun = STAND.begin("open");

        var to = begun.to();
        var query = FakeProvider.query(to.getRawQuery());
        assertThat(to.toString()).startsWith(PROVIDER.url() + "/authorize?client_id=client-1");
        assertThat(query.get("redirect_uri")).isEqualTo("https://pipecd.example/auth/callback");
        assertThat(query.get("scope")).isEqualTo("openid profile");
        assertThat(query.get("state")).matches("[0-9a-f]+:open").startsWith(begun.state());
        assertThat(query.get("nonce")).hasSize(43);
        assertThat(query.get("code_challenge_method")).isEqualTo("S256");
        assertThat(begun.cookie()).endsWith("; Path=/; Max-Age=1800; HttpOnly; SameSite=Lax");
    }

    @Test
    void groupsAndCustomRolesCountForAnIssuerToo() throws Exception {
        PROVIDER.claims.put("groups", List.of("developers", "unheard-of"));

        var told = STAND.permissions(token(STAND.through("open")));

        assertThat(told.getRolesList()).containsExactly("Deployer");
        assertThat(told.getPermissionsCount()).isEqualTo(8);
    }

    @Test
    void whoHasOnlyUnknownRolesIsRefusedInsteadOfLetInWithNone() throws Exception {
        PROVIDER.claims.put("groups", List.of("unheard-of"));

        assertThat(error(STAND.through("open"))).startsWith("None of your groups has a role");
    }

    @Test
    void strangersMayLookWhereTheProjectAllowsIt() throws Exception {
        PROVIDER.claims.put("groups", List.of());

        assertThat(STAND.permissions(token(STAND.through("stray"))).getRolesList())
                .containsExactly("Viewer");
    }

    @Test
    void endpointsAndClaimsOfTheSettingsAreUsedInsteadOfTheUsualOnes() throws Exception {
        PROVIDER.claims.put("my-roles", "Admin");
        PROVIDER.claims.put("email", "ann@example.com");
        var begun = STAND.begin("over");

        assertThat(begun.to().toString()).startsWith("https://front.example/authorize?tenant=1&");
        var told = STAND.permissions(token(STAND.finish("over", begun)));

        assertThat(told.getSubject()).isEqualTo("ann@example.com");
        assertThat(told.getRolesList()).containsExactly("Admin");
        assertThat(PROVIDER.asked).contains("/other-token", "/other-me");
    }

    static Stream<Arguments> spoiltTokens() {
        return Stream.of(
                spoilt("for this login", c -> c.claim("nonce", "another")),
                spoilt("for this login", c -> c.claim("nonce", null)),
                spoilt("for us", c -> c.audience("another")),
                spoilt("for us", c -> c.audience(List.of("client-1", "x")).claim("azp", "x")),
                spoilt("from the issuer", c -> c.issuer("https://another.example")),
                spoilt("valid any more", c -> c.expirationTime(Date.from(Instant.EPOCH))),
                spoilt("valid any more", c -> c.expirationTime(null)),
                spoilt("valid yet", c -> c.issueTime(inAnHour())),
                spoilt("valid yet", c -> c.notBeforeTime(inAnHour())));
    }

    private static Arguments spoilt(String what, UnaryOperator<JWTClaimsSet.Builder> spoil) {
        return Arguments.of(what, spoil);
    }

    private static Date inAnHour() {
        return Date.from(Instant.now().plus(Duration.ofHours(1)));
    }

    @ParameterizedTest
    @MethodSource("spoiltTokens")
    void aTokenThatIsMeantForSomethingElseIsRefused(
            String what, UnaryOperator<JWTClaimsSet.Builder> spoil) throws Exception {
        PROVIDER.spoil = spoil;

        assertThat(error(STAND.through("open")))
                .isEqualTo("Unable to log in: The issuer's token is not " + what + ".");
    }

    @Test
    void aTokenSomebodyElseSignedOrNobodyIsRefused() throws Exception {
        for (var signature :
                List.of(FakeProvider.Signature.OTHER_KEY, FakeProvider.Signature.NONE)) {
            PROVIDER.signature = signature;

            assertThat(error(STAND.through("open"))).contains("is not signed by the issuer");
        }
    }

    @Test
    void anIssuerThatTellsOfSomebodyElseIsNotBelieved() throws Exception {
        PROVIDER.userInfoSubject = "u-2";

        assertThat(error(STAND.through("open"))).contains("told of somebody else");
    }
}
