// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.DeployTargets;
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

/// Applications that tell their platform, before an agent with two versions of its plugin.
class PlatformVersionsTest {
    private static final String LABELLED =
            "kind: Application\nmetadata: {labels: {kind: KUBERNETES}}\nspec: {name: x%s}\n";
    private static final String OLD = "kind: KubernetesApp\nspec: {name: x%s}\n";
    private static final String PIPELINE = ", pipeline: {stages: [{name: FAKE}]}";

    @TempDir static Path data;
    static HostInTest host;

    @BeforeAll
    static void setUp() throws InterruptedException {
        host =
                HostInTest.start(
                        data,
                        List.of(
                                HostInTest.plugin("kubernetes", "builtin:fake", "good"),
                                HostInTest.plugin("kubernetes-next", "builtin:fake", "good")),
                        FakeHostCommand.get(),
                        HostInTest.QUICK);
        assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
    }

    @AfterAll
    static void tearDown() {
        host.close();
    }

    @Test
    void thePlatformAloneMeansThePluginOfItsName() {
        for (var file : List.of(LABELLED, OLD)) {
            assertThat(owners(file, "", "")).isEqualTo(Map.of("kubernetes", List.of()));
            assertThat(owners(file, PIPELINE, "")).isEqualTo(Map.of("kubernetes", List.of(0)));
        }
    }

    @Test
    void whomTheAuthorNamesCountsMoreThanThePlatform() {
        var named = ", plugins: {kubernetes-next: {}}";
        for (var file : List.of(LABELLED, OLD)) {
            assertThat(owners(file, named, "")).isEqualTo(Map.of("kubernetes-next", List.of()));
            assertThat(owners(file, named + PIPELINE, ""))
                    .isEqualTo(Map.of("kubernetes-next", List.of(0)));
        }
    }

    @Test
    void deployTargetsCountMoreThanThePlatform() {
        for (var file : List.of(LABELLED, OLD)) {
            assertThat(owners(file, "", "kubernetes-next"))
                    .isEqualTo(Map.of("kubernetes-next", List.of()));
            assertThat(owners(file, PIPELINE, "kubernetes-next"))
                    .isEqualTo(Map.of("kubernetes-next", List.of(0)));
        }
    }

    @Test
    void deployTargetsChooseTheOwnerOfAStageBeforeTheNamesDo() {
        var named = ", plugins: {kubernetes-next: {}}" + PIPELINE;

        assertThat(owners(LABELLED, named, "kubernetes"))
                .isEqualTo(Map.of("kubernetes", List.of(0)));
    }

    /// @param target whose deploy targets it has, unless empty
    private static Map<String, List<Integer>> owners(String file, String more, String target) {
        var text = "apiVersion: pipecd.dev/v1beta1\n" + file.formatted(more);
        var deployment = Deployment.newBuilder();
        if (!target.isEmpty())
            deployment.putDeployTargetsByPlugin(target, DeployTargets.getDefaultInstance());
        return new Owners(host.plugins())
                .of(
                        deployment.build(),
                        Documents.application(
                                        "app.pipecd.yaml", text.getBytes(StandardCharsets.UTF_8))
                                .value());
    }
}
