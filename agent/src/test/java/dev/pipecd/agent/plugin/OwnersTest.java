// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two versions of one plugin side by side, and one that never came up.
class OwnersTest {
    private static final Deployment PLAIN = Deployment.getDefaultInstance();

    @TempDir static Path data;
    static HostInTest host;

    @BeforeAll
    static void setUp() {
        host =
                HostInTest.start(
                        data,
                        List.of(
                                HostInTest.plugin("old", "builtin:fake", "good"),
                                HostInTest.isolated(
                                        HostInTest.plugin("new", "builtin:fake", "good")),
                                HostInTest.plugin("silent", "/does/not/exist", "good")),
                        FakeHostCommand.get(),
                        HostInTest.QUICK);
        patiently().until(() -> host.plugins().ownersOf("FAKE").size() == 2);
    }

    @AfterAll
    static void tearDown() {
        host.close();
    }

    @Test
    void theIsolatedOneHasAProcessOfItsOwn() {
        assertThat(host.lines("starts")).hasSize(2);
    }

    @Test
    void theApplicationsOwnWordsChooseBetweenTwoVersions() {
        assertThat(owner(PLAIN, "plugins: {new: {}}")).isEqualTo("new");
        assertThat(owner(PLAIN, "plugins: {old: {}}")).isEqualTo("old");
    }

    @Test
    void itsDeployTargetsChooseToo() {
        var deployment =
                Deployment.newBuilder()
                        .putDeployTargetsByPlugin("new", DeployTargets.getDefaultInstance())
                        .build();

        assertThat(owner(deployment, "description: x")).isEqualTo("new");
    }

    @Test
    void twoThatBothCouldAreNamed() {
        var told =
                "stage: \"FAKE\" is offered by the plugins old, new (expected: one of them named by this application)";

        assertThatThrownBy(() -> owner(PLAIN, "description: x")).hasMessage(told);
        assertThatThrownBy(() -> owner(PLAIN, "plugins: {old: {}, new: {}}")).hasMessage(told);
    }

    @Test
    void anotherVersionDoesNotStepInForOneThatIsNotReady() {
        assertThatThrownBy(() -> owner(PLAIN, "plugins: {silent: {}}"))
                .hasMessageStartingWith(
                        "stage: \"FAKE\" may be of plugin silent, which is not ready: the plugin");
    }

    @Test
    void aPlannedStageStaysWithThePluginItWasPlannedWith() {
        assertThat(planned("new", "description: x")).isEqualTo("new");
        assertThat(planned("old", "plugins: {new: {}}")).isEqualTo("old");
        assertThatThrownBy(() -> planned("silent", "plugins: {new: {}}"))
                .hasMessageStartingWith(
                        "stage: \"FAKE\" is of plugin silent, which is not ready: the plugin");
    }

    @Test
    void aPlannedStageOfAPluginThatIsGoneOrCannotRunItIsFoundByItsName() {
        assertThat(planned("gone", "plugins: {new: {}}")).isEqualTo("new");
        var other = of("new", HostInTest.STAGE.toBuilder().setName("OTHER"));

        assertThatThrownBy(() ->
                        new Owners(host.plugins())
                                .owner(other, PLAIN, config("plugins: {new: {}}")))
                .hasMessage("stage: \"OTHER\" (expected: one of FAKE, FAKE_ROLLBACK)");
    }

    private static String planned(String plugin, String line) {
        return new Owners(host.plugins())
                .owner(of(plugin, HostInTest.STAGE.toBuilder()), PLAIN, config(line));
    }

    private static PipelineStage of(String plugin, PipelineStage.Builder stage) {
        PlannedOwner.keep(stage, plugin);
        return stage.build();
    }

    private static String owner(Deployment deployment, String line) {
        return new Owners(host.plugins()).owner(HostInTest.STAGE, deployment, config(line));
    }

    private static ApplicationConfig config(String line) {
        var text =
                """
                apiVersion: pipecd.dev/v1beta1
                kind: Application
                spec:
                  name: x
                  pipeline: {stages: [{name: FAKE}]}
                  %s
                """
                        .formatted(line);
        return Documents.application("app.pipecd.yaml", text.getBytes(StandardCharsets.UTF_8))
                .value();
    }
}
