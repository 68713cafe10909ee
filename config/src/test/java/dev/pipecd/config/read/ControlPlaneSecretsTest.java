// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.ControlPlaneDocumentTest.FULL;
import static dev.pipecd.config.read.Reading.controlPlane;
import static dev.pipecd.config.read.Reading.controlPlaneSpec;
import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What the control plane's file hides is not shown, whatever is said about it.
final class ControlPlaneSecretsTest {
    @Test
    void theCachesAddressAndPasswordAreSecrets() {
        var loaded =
                controlPlane(
                        controlPlaneSpec(
                                "cache: {address: 'rediss://u:hidden@cache:6380/2', password: hidden, caFile: /ca.pem}"));

        var cache = loaded.value().storage().cache();
        assertThat(cache.address().reveal()).isEqualTo("rediss://u:hidden@cache:6380/2");
        assertThat(cache.password().reveal()).isEqualTo("hidden");
        assertThat(cache.caFile()).isEqualTo("/ca.pem");
        assertThat(loaded.masked()).doesNotContain("hidden");
    }

    @Test
    void aPasswordThatWasNotHashedIsWarnedOfWithoutBeingShown() {
        var project = "projects: [{id: a, staticAdmin: {username: u, passwordHash: %s}}]";

        assertThat(warnings(controlPlane(controlPlaneSpec(project.formatted("hello")))))
                .containsExactly(
                        "cp.yaml:3:68: spec.projects[0].staticAdmin.passwordHash: ****** (no bcrypt hash: nobody can log in with it)");
        assertThat(
                        warnings(
                                controlPlane(
                                        controlPlaneSpec(
                                                project.formatted("$2a$10$" + "x".repeat(53))))))
                .isEmpty();
        assertThat(warnings(controlPlane(controlPlaneSpec(project.formatted("env:HASH")))))
                .isEmpty();
    }

    @Test
    void secretsAreNeitherShownNorQuotedInMistakes() {
        var loaded = controlPlane(FULL);

        assertThat(loaded.toString() + loaded.masked())
                .doesNotContain("state-key", "hook-secret", "$2a$10$abc", "s1", "s2");
        assertThat(
                        mistakes(() ->
                                controlPlane(
                                        controlPlaneSpec(
                                                "stateKey: 12345, webhook: {secret: [hunter2]}"))))
                .containsExactly(
                        "cp.yaml:3:18: spec.stateKey: a number (expected: text)",
                        "cp.yaml:3:43: spec.webhook.secret: a list (expected: text)");
    }
}
