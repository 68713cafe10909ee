// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.SsoStand.error;
import static dev.pipecd.controlplane.SsoStand.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.ProjectSSOConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Logging in by way of GitHub and its teams.
@ResourceLock(SsoStand.LOCK)
@ResourceLock(value = "logging", mode = ResourceAccessMode.READ) // sees what is logged
final class GitHubSsoTest {
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
    void aTeamOnTheSecondPageCounts() throws Exception {
        PROVIDER.teams = 250;
        var begun = STAND.begin("hub");
        var query = FakeProvider.query(begun.to().getRawQuery());

        assertThat(begun.to().toString()).startsWith(PROVIDER.url() + "/login/oauth/authorize?");
        assertThat(query.get("redirect_uri"))
                .isEqualTo("https://pipecd.example/auth/callback?project=hub");
        assertThat(query.get("state")).isEqualTo(begun.state());
        assertThat(query.get("scope")).isEqualTo("read:org");
        var told = STAND.permissions(token(STAND.finish("hub", begun)));

        assertThat(told.getSubject()).isEqualTo("octo");
        assertThat(told.getRolesList()).containsExactly("Editor", "Viewer");
    }

    /// Which the public system takes for `baseUrl`, too.
    @Test
    void theAddressOfAnEnterpriseServerLeadsToItsApi() throws Exception {
        var begun = STAND.begin("hub-root");

        assertThat(begun.to().toString()).startsWith(PROVIDER.url() + "/login/oauth/authorize?");
        assertThat(STAND.permissions(token(STAND.finish("hub-root", begun))).getSubject())
                .isEqualTo("octo");
    }

    @Test
    void whoIsInNoTeamOfTheProjectIsRefused() throws Exception {
        PROVIDER.teams = 1;

        assertThat(error(STAND.through("hub"))).startsWith("None of your groups has a role");
    }

    @Test
    void aProjectsOwnGitHubIsReachedThroughItsProxy() throws Exception {
        STAND.save(
                "own-hub",
                ProjectSSOConfig.newBuilder()
                        .setProvider(ProjectSSOConfig.Provider.GITHUB)
                        .setGithub(
                                ProjectSSOConfig.GitHub.newBuilder()
                                        .setClientId(FakeProvider.CLIENT)
                                        .setClientSecret(FakeProvider.SECRET)
                                        .setBaseUrl("http://hub.invalid/api/v3/")
                                        .setProxyUrl(PROVIDER.url())));
        STAND.group("own-hub", "org/team-2", "Viewer");

        assertThat(STAND.permissions(token(STAND.through("own-hub"))).getRolesList())
                .containsExactly("Viewer");
        assertThat(PROVIDER.asked).contains("http://hub.invalid/api/v3/user");
    }
}
