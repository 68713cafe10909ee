// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.SsoStand.error;
import static dev.pipecd.controlplane.SsoStand.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.wire.model.ProjectSSOConfig;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// The way to another system and back, whichever it is, and out again.
@ResourceLock(SsoStand.LOCK)
@ResourceLock(value = "logging", mode = ResourceAccessMode.READ) // sees what is logged
final class SsoTest {
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
    void aCallbackWithoutTheBrowsersOwnStateIsRefused() throws Exception {
        var mine = STAND.begin("open");
        var theirs = STAND.begin("open");
        var code = PROVIDER.code(mine.to());
        var state = FakeProvider.query(mine.to().getRawQuery()).get("state");

        for (var cookie : List.of("", "state=" + theirs.state(), "state=" + state, "state="))
            assertThat(error(STAND.get("/auth/callback?code=" + code + "&state=" + state, cookie)))
                    .startsWith("The login was not begun here");
    }

    @Test
    void aStateOfOneProjectOpensNoOther() throws Exception {
        var begun = STAND.begin("stray");
        var code = PROVIDER.code(begun.to());

        assertThat(
                        error(
                                STAND.get(
                                        "/auth/callback?code=%s&state=%s:open"
                                                .formatted(code, begun.state()),
                                        "state=" + begun.state())))
                .startsWith("The login was not begun here");
    }

    @Test
    void aLoginThatWasNotGrantedIsToldSo() throws Exception {
        var begun = STAND.begin("open");
        var state = FakeProvider.query(begun.to().getRawQuery()).get("state");

        assertThat(
                        error(
                                STAND.get(
                                        "/auth/callback?error=access_denied&state=" + state,
                                        "state=" + begun.state())))
                .isEqualTo("The login was not granted.");
    }

    @Test
    void aProjectsOwnSignOnIsSavedAndUsed() throws Exception {
        STAND.save("own", issuer(PROVIDER.url()));

        assertThat(STAND.permissions(token(STAND.through("own"))).getRolesList())
                .containsExactly("Editor");
    }

    @Test
    void whoCameByTheSettingsBeforeIsOutWhenOthersAreSaved() throws Exception {
        STAND.save("own", issuer(PROVIDER.url()));
        var before = token(STAND.through("own"));
        assertThat(STAND.permissions(before).getSubject()).isEqualTo("ann");

        STAND.save("own", issuer(PROVIDER.url() + "/"));

        assertThatThrownBy(() -> STAND.permissions(before))
                .hasMessageStartingWith("UNAUTHENTICATED");
        assertThat(STAND.permissions(token(STAND.through("own"))).getSubject()).isEqualTo("ann");
    }

    @Test
    void whatTheIssuerOfAProjectAnsweredIsNotToldToTheBrowser() throws Exception {
        STAND.save("own", issuer(PROVIDER.url() + "/nowhere"));

        assertThat(error(STAND.post("/auth/login", "project=own")))
                .isEqualTo(
                        "Unable to log in: The other system did not answer as it should. Why is in"
                                + " the log of the control plane.");
    }

    private static ProjectSSOConfig.Builder issuer(String url) {
        return ProjectSSOConfig.newBuilder()
                .setProvider(ProjectSSOConfig.Provider.OIDC)
                .setOidc(
                        ProjectSSOConfig.Oidc.newBuilder()
                                .setClientId(FakeProvider.CLIENT)
                                .setClientSecret(FakeProvider.SECRET)
                                .setIssuer(url));
    }

    @Test
    void aProjectWithoutSignOnLooksLikeOneThatIsNotThere() throws Exception {
        var closed = STAND.post("/auth/login", "project=closed");
        var unknown = STAND.post("/auth/login", "project=unknown");

        assertThat(error(closed)).isEqualTo("Single sign-on is not set up for this project.");
        assertThat(error(unknown)).isEqualTo(error(closed));
    }

    @Test
    void whoLoggedOutIsRefusedAtOnceAndAfterARestart() throws Exception {
        var token = token(STAND.through("open"));
        var other = token(STAND.through("open"));
        var _ = STAND.get("/auth/logout", "token=" + token);

        assertThatThrownBy(() -> STAND.permissions(token))
                .hasMessageStartingWith("UNAUTHENTICATED");
        assertThat(STAND.permissions(other).getSubject()).isEqualTo("ann");
        STAND.restart();
        assertThatThrownBy(() -> STAND.permissions(token))
                .hasMessageStartingWith("UNAUTHENTICATED");
        assertThat(STAND.permissions(other).getSubject()).isEqualTo("ann");
    }
}
