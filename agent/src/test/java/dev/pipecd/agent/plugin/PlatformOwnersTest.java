// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Deployment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Applications that tell their platform, before an agent that serves one of them and has no plugin
/// yet for another.
class PlatformOwnersTest {
    @TempDir static Path data;
    static HostInTest host;

    @BeforeAll
    static void setUp() throws InterruptedException {
        host =
                HostInTest.start(
                        data,
                        List.of(
                                HostInTest.plugin("k8s_plugin", "builtin:fake", "good"),
                                HostInTest.plugin("terraform", "builtin:absent", "good")),
                        FakeHostCommand.get(),
                        HostInTest.QUICK);
        // False: one of them is not offered.
        assertThat(host.plugins().awaitReady(Duration.ofMinutes(1))).isFalse();
    }

    @AfterAll
    static void tearDown() {
        host.close();
    }

    @Test
    void theLabelAloneSelectsThePlugin() {
        assertThat(
                        owners(
                                """
                                kind: Application
                                metadata: {labels: {kind: KUBERNETES}}
                                spec: {name: x}
                                """))
                .isEqualTo(Map.of("k8s_plugin", List.of()));
    }

    @Test
    void anOldKindSelectsIt() {
        assertThat(owners("kind: KubernetesApp\nspec: {name: x, input: {namespace: y}}\n"))
                .isEqualTo(Map.of("k8s_plugin", List.of()));
    }

    @Test
    void stagesOfOthersRunThoughThePlatformHasNoPluginYet() {
        assertThat(owners("kind: TerraformApp\nspec: {pipeline: {stages: [{name: FAKE}]}}\n"))
                .isEqualTo(Map.of("k8s_plugin", List.of(0)));
    }

    @Test
    void aStageOfAPlatformThatHasNoPluginYetIsTold() {
        assertThatThrownBy(() ->
                        owners(
                                "kind: TerraformApp\nspec: {pipeline: {stages: [{name: FAKE}, {name: TERRAFORM_PLAN}]}}\n"))
                .hasMessage(
                        "stage: \"TERRAFORM_PLAN\" may be of plugin terraform, which is not ready: builtin: \"absent\" (expected: one of fake)");
    }

    @Test
    void aStageNobodyOffersIsToldWithThePluginsThatAreMissing() {
        assertThatThrownBy(() ->
                        owners("kind: Application\nspec: {pipeline: {stages: [{name: OTHER}]}}\n"))
                .isInstanceOfSatisfying(
                        Problem.class,
                        problem -> {
                            assertThat(problem.message()).startsWith("stage: \"OTHER\" (expected:");
                            assertThat(problem.advice())
                                    .endsWith("This version has no built-in for terraform.");
                        });
    }

    @Test
    void aPlatformNobodyServesIsTold() {
        assertThatThrownBy(() -> owners("kind: ECSApp\nspec: {name: x}\n"))
                .hasMessage(
                        "platform: \"ecs\" (expected: one that a plugin of k8s_plugin, terraform serves)");
    }

    private static Map<String, List<Integer>> owners(String file) {
        var content = ("apiVersion: pipecd.dev/v1beta1\n" + file).getBytes(StandardCharsets.UTF_8);
        return new Owners(host.plugins())
                .of(
                        Deployment.getDefaultInstance(),
                        Documents.application("app.pipecd.yaml", content).value());
    }
}
