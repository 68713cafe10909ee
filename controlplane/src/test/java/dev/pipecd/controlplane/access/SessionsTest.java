// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.InMemorySessions;
import dev.pipecd.controlplane.TestClock;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SessionsTest {
    private static final byte[] KEY = "an encryption key of more than 32 bytes\n".getBytes(UTF_8);
    private static final Caller.Person ANN =
            new Caller.Person(new ProjectId("p1"), "ann", Set.of("Admin"));
    private static final String CLAIMS =
            "{\"iss\":\"PipeCD\",\"sub\":\"ann\",\"exp\":1795348800,\"nbf\":1794744000,\"iat\":1794744000,\"avatarUrl\":\"\",\"role\":{\"project_id\":\"p1\",\"project_rbac_roles\":[\"Admin\"]}}";
    private static final String HEADER = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";

    private final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:00:00Z"));
    private Optional<Accounts.StaticAdmin> admin =
            Optional.of(new Accounts.StaticAdmin("ann", "unused"));
    private final Sessions sessions = new Sessions(KEY, _ -> admin, new InMemorySessions(), clock);

    @Test
    void aTokenHasThePublicFormAndSaysHowItsHolderLoggedIn() throws Exception {
        var token = sessions.open(ANN);

        var claims = new String(Base64.getUrlDecoder().decode(token.split("\\.")[1]), UTF_8);
        assertThat(claims)
                .startsWith(CLAIMS.substring(0, CLAIMS.length() - 1))
                .matches(
                        ".*,\"via\":\"static:2e5e6e5c1857cb33\",\"ends\":\"[0-9a-f]{16}\",\"jti\":\"[a-z0-9]{16}\"}");
        assertThat(token).isEqualTo(signed(HEADER, claims, KEY));
    }

    @Test
    void aTokenOfThePublicServerIsBelieved() throws Exception {
        assertThat(sessions.find(signed(HEADER, CLAIMS, KEY)).map(Sessions.Session::person))
                .hasValue(ANN);
    }

    @Test
    void aTokenThatWasLoggedOutIsRefused() {
        var token = sessions.open(ANN);
        sessions.end(token);

        assertThat(sessions.find(token)).isEmpty();
    }

    @Test
    void aPasswordThatIsChangedEndsTheSessionsOpenedWithTheOldOne() {
        var token = sessions.open(ANN);
        admin = Optional.of(new Accounts.StaticAdmin("ann", "another"));

        assertThat(sessions.find(token)).isEmpty();
        assertThat(sessions.find(sessions.open(ANN))).isPresent();
    }

    @Test
    void whoCameFromElsewhereIsRefusedWhenNobodyMayAnyMore() {
        var visitor = new Sessions.Visitor(ANN, "https://pictures/ann", Duration.ofHours(1), "hub");

        assertThat(sessions.find(sessions.open(visitor))).isEmpty();
    }

    @Test
    void whoCameFromElsewhereStaysAsLongAsTheSettingsSay() {
        var open =
                new Accounts() {
                    @Override
                    public Optional<StaticAdmin> staticAdmin(ProjectId project) {
                        return Optional.empty();
                    }

                    @Override
                    public Set<String> vouchers(ProjectId project) {
                        return Set.of("hub");
                    }
                };
        var elsewhere = new Sessions(KEY, open, new InMemorySessions(), clock);
        var token = elsewhere.open(new Sessions.Visitor(ANN, "", Duration.ofHours(2), "hub"));

        clock.pass(Duration.ofHours(2).minusSeconds(1));
        assertThat(elsewhere.find(token)).isPresent();
        clock.pass(Duration.ofSeconds(1));

        assertThat(elsewhere.find(token)).isEmpty();
    }

    @Test
    void aTokenTellsWhoHoldsItUntilItRunsOut() {
        var token = sessions.open(ANN);

        assertThat(sessions.find(token).map(Sessions.Session::person)).hasValue(ANN);
        clock.pass(Duration.ofDays(7));
        assertThat(sessions.find(token)).isEmpty();
    }

    /// No two clocks agree.
    @Test
    void aSessionThatAServerAMinuteAheadOpenedIsBelieved() {
        var store = new InMemorySessions();
        var ahead = new Sessions(KEY, _ -> admin, store, () -> clock.instant().plusSeconds(60));
        var behind = new Sessions(KEY, _ -> admin, store, clock);

        assertThat(behind.find(ahead.open(ANN))).isPresent();
    }

    @Test
    void theWholeKeyFileIsTheKeyItsLastNewlineToo() throws Exception {
        var shorter = "an encryption key of more than 32 bytes".getBytes(UTF_8);

        assertThat(sessions.find(signed(HEADER, CLAIMS, shorter))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"alg\":\"none\",\"typ\":\"JWT\"}",
                "{\"alg\":\"HS512\",\"typ\":\"JWT\"}",
                "{\"alg\":\"hs256\",\"typ\":\"JWT\"}",
                "{}",
                "[]"
            })
    void anotherAlgorithmIsRefused(String header) throws Exception {
        assertThat(sessions.find(signed(header, CLAIMS, KEY))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"iss\":\"Other\",\"sub\":\"ann\",\"exp\":1795348800,\"role\":{\"project_id\":\"p1\"}}",
                "{\"iss\":\"PipeCD\",\"sub\":\"ann\",\"role\":{\"project_id\":\"p1\"}}",
                "{\"iss\":\"PipeCD\",\"sub\":\"ann\",\"exp\":1794744000,\"role\":{\"project_id\":\"p1\"}}",
                "{\"iss\":\"PipeCD\",\"sub\":\"ann\",\"exp\":1795348800,\"nbf\":1794744061,\"role\":{\"project_id\":\"p1\"}}",
                "{\"iss\":\"PipeCD\",\"sub\":\"ann\",\"exp\":1795348800,\"iat\":1794744061,\"role\":{\"project_id\":\"p1\"}}",
                "{\"iss\":\"PipeCD\",\"sub\":\"ann\",\"exp\":1795348800,\"role\":{}}",
                "{\"iss\":\"PipeCD\",\"exp\":1795348800,\"role\":{\"project_id\":\"p1\"}}",
                "not json"
            })
    void aClaimThatIsMissingOrWrongIsRefused(String claims) throws Exception {
        assertThat(sessions.find(signed(HEADER, claims, KEY))).isEmpty();
    }

    @Test
    void aChangedTokenIsRefused() {
        var parts = sessions.open(ANN).split("\\.");
        var other = sessions.open(new Caller.Person(new ProjectId("p2"), "ann", Set.of("Admin")));

        assertThat(sessions.find(parts[0] + "." + other.split("\\.")[1] + "." + parts[2]))
                .isEmpty();
        assertThat(sessions.find(parts[0] + "." + parts[1] + ".")).isEmpty();
    }

    @Test
    void anAdministratorWhoIsSwitchedOffIsNotBelievedAnyMore() {
        var token = sessions.open(ANN);
        admin = Optional.empty();

        assertThat(sessions.find(token)).isEmpty();
    }

    private static String signed(String header, String claims, byte[] key) throws Exception {
        var base64 = Base64.getUrlEncoder().withoutPadding();
        var text =
                base64.encodeToString(header.getBytes(UTF_8))
                        + "."
                        + base64.encodeToString(claims.getBytes(UTF_8));
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return text + "." + base64.encodeToString(mac.doFinal(text.getBytes(UTF_8)));
    }
}
