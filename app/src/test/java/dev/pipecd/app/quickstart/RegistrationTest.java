// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.wire.model.Application;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RegistrationTest {
    @TempDir Path folder;
    private FakeControlPlane controlPlane;
    private Place place;

    @BeforeEach
    void start() throws IOException {
        controlPlane = new FakeControlPlane();
        place = new Place(folder, 8080);
    }

    @AfterEach
    void stop() {
        controlPlane.close();
    }

    @Test
    void theAgentIsRegisteredOnceHoweverOftenItIsAsked() throws Exception {
        registration().ensurePiped();
        var first = Files.readString(place.pipedConfig());

        registration().ensurePiped();

        assertThat(controlPlane.calls).containsExactly("ListPipeds", "RegisterPiped", "ListPipeds");
        assertThat(Files.readString(place.pipedConfig()))
                .isEqualTo(first)
                .contains("  pipedID: piped-1\n");
        assertThat(Files.readString(place.pipedKey())).isEqualTo("key-2\n");
    }

    @Test
    void anAgentWhoseKeyWasLostInACrashGetsANewKeyAndNoTwin() throws Exception {
        registration().ensurePiped();
        Files.delete(place.pipedKey());
        Files.delete(place.pipedConfig());

        registration().ensurePiped();

        assertThat(controlPlane.pipeds).hasSize(1);
        assertThat(Files.readString(place.pipedConfig())).contains("  pipedID: piped-1\n");
        assertThat(Files.readString(place.pipedKey())).isEqualTo("key-3\n");
    }

    @Test
    void aCrashBetweenKeyAndConfigurationIsHealed() throws Exception {
        registration().ensurePiped();
        Files.delete(place.pipedConfig());

        registration().ensurePiped();

        assertThat(controlPlane.pipeds).hasSize(1);
        assertThat(Files.readString(place.pipedConfig())).contains("  pipedID: piped-1\n");
    }

    @Test
    void anAgentThatTheControlPlaneDoesNotKnowIsRegisteredAnew() throws Exception {
        registration().ensurePiped();
        controlPlane.pipeds.clear();

        registration().ensurePiped();

        assertThat(Files.readString(place.pipedConfig())).contains("  pipedID: piped-3\n");
    }

    @Test
    void theApiKeyIsMadeOnceAndForItsOwnerOnly() throws Exception {
        registration().ensureApiKey();
        registration().ensureApiKey();

        assertThat(controlPlane.calls)
                .containsExactly("ListAPIKeys", "GenerateAPIKey", "ListAPIKeys");
        assertThat(Files.readString(place.apiKey())).isEqualTo("id-1.secret\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(place.apiKey())))
                .isEqualTo("rw-------");
    }

    @Test
    void aKeyThatACrashKeptFromBeingWrittenIsDisabledAndReplaced() throws Exception {
        registration().ensureApiKey();
        Files.delete(place.apiKey());

        registration().ensureApiKey();

        assertThat(controlPlane.keys).hasSize(1);
        assertThat(Files.readString(place.apiKey())).isEqualTo("id-2.secret\n");
    }

    @Test
    void anApplicationIsAddedOnce() throws Exception {
        registration().ensurePiped();
        controlPlane.connectPiped();
        var piped = registration().connectedPiped().orElseThrow();

        var first = registration().ensureApplication("site", "A page", piped);
        var second = registration().ensureApplication("site", "A page", piped);

        assertThat(second).isEqualTo(first);
        assertThat(controlPlane.applications)
                .extracting(Application::getName)
                .containsExactly("site");
    }

    @Test
    void anAgentIsConnectedOnlyWhenItHasToldOfTheDemoRepository() throws Exception {
        registration().ensurePiped();

        assertThat(registration().connectedPiped()).isEmpty();
    }

    @Test
    void aChangedPasswordIsToldWithAdvice() {
        assertThatThrownBy(() ->
                        WebClient.login(
                                controlPlane.address(), "quickstart", "hello-pipecd", "wrong"))
                .hasMessage("login of hello-pipecd: HTTP 303 (expected: a session)");
    }

    private Registration registration() throws IOException, InterruptedException {
        var web =
                WebClient.login(
                        controlPlane.address(), "quickstart", "hello-pipecd", "hello-pipecd");
        return new Registration(web, place, new Settings(place, new SecureRandom()));
    }
}
