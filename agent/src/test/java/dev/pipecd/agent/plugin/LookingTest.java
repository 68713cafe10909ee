// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.agent.plugin.PlanPreviews.Change;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.ResourceState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Live state and plan preview over the public protocol, with plugins of somebody else as real
/// processes.
class LookingTest {
    private static final Application SITE =
            Application.newBuilder().setId("a1").setName("site").setPipedId("p1").build();

    @TempDir static Path data;
    private static HostInTest host;

    @BeforeAll
    static void start() throws Exception {
        host =
                HostInTest.start(
                        data,
                        List.of(plugin("looking", false), plugin("blind", true)),
                        List.of("false"),
                        HostInTest.QUICK);
        assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
    }

    @AfterAll
    static void stop() {
        host.close();
    }

    @Test
    void aPluginIsToldWhereToLookAndWhatShouldBeThere() throws Exception {
        var live = new LiveStates(host.plugins());

        assertThat(live.of("looking", SITE, List.of("here"), HostInTest.TARGET))
                .isEqualTo(
                        new LiveState.Seen(
                                List.of(
                                        ResourceState.newBuilder()
                                                .setId("a1")
                                                .setName("abc")
                                                .setDeployTarget("here")
                                                .build()),
                                ApplicationSyncState.newBuilder()
                                        .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                                        .setReason("p1")
                                        .setTimestamp(1)
                                        .build()));
        assertThat(live.offered("looking")).isTrue();
    }

    @Test
    void whatAPluginRefusesIsAProblem() {
        var live = new LiveStates(host.plugins());

        assertThatThrownBy(() -> live.of("looking", SITE, List.of(), HostInTest.TARGET))
                .isInstanceOf(Problem.class)
                .hasMessage("deploy targets: none");
        assertThat(live.offered("looking")).isTrue();
    }

    /// What they hold fits into few bytes, and into no memory.
    @Test
    void anAnswerWithMoreThanCanBeReportedIsNotTakenApart() {
        var live = new LiveStates(host.plugins());
        var previews = new PlanPreviews(host.plugins());

        assertThatThrownBy(() ->
                        live.of("looking", named("1000000"), List.of("here"), HostInTest.TARGET))
                .isInstanceOf(Problem.class)
                .hasMessage("plugin looking: a larger answer (expected: at most 4194304 bytes)");
        assertThatThrownBy(() ->
                        live.of("looking", named("600000"), List.of("here"), HostInTest.TARGET))
                .isInstanceOf(Problem.class)
                .hasMessage("plugin looking: 600001 resources (expected: at most 20000)");
        assertThatThrownBy(() ->
                        previews.of(
                                "looking", planned("2000"), HostInTest.TARGET, Optional.empty()))
                .isInstanceOf(Problem.class)
                .hasMessage("plugin looking: 2001 results (expected: at most 1000)");
    }

    private static Application named(String id) {
        return SITE.toBuilder().setId(id).build();
    }

    @Test
    void aPluginThatDoesNotLookIsNotAskedAgainAndOneThatDoesNotExistNever() throws Exception {
        var live = new LiveStates(host.plugins());
        assertThat(live.offered("blind")).isTrue();

        assertThat(live.of("blind", SITE, List.of("here"), HostInTest.TARGET))
                .isEqualTo(new LiveState.NotOffered());

        assertThat(live.offered("blind")).isFalse();
        assertThat(live.offered("nobody")).isFalse();
    }

    @Test
    void whatWouldChangeIsToldByTargetAndByNobodyWhoDoesNotKnow() throws Exception {
        var previews = new PlanPreviews(host.plugins());
        var running =
                new SourceDirs(
                        HostInTest.TARGET.applicationDirectory(),
                        HostInTest.TARGET.sharedConfigDirectory(),
                        "old",
                        "app.pipecd.yaml",
                        HostInTest.TARGET.config());

        assertThat(previews.of("looking", planned("a1"), HostInTest.TARGET, Optional.of(running)))
                .containsExactly(
                        new Change("looking", "here", "old to abc", true, "- a\n+ b", "hcl"));
        assertThat(previews.of("blind", planned("a1"), HostInTest.TARGET, Optional.empty()))
                .isEmpty();
    }

    @Test
    void aPluginWithoutTargetsIsNotAskedWhatWouldChange() throws Exception {
        var aimless = planned("a1").toBuilder().clearDeployTargetsByPlugin().build();

        assertThat(
                        new PlanPreviews(host.plugins())
                                .of("looking", aimless, HostInTest.TARGET, Optional.empty()))
                .isEmpty();
    }

    @Test
    void aPreviewThatIsCalledOffIsCalledOffInThePlugin() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked =
                    threads.submit(() ->
                            new PlanPreviews(host.plugins())
                                    .of(
                                            "looking",
                                            planned("hang"),
                                            HostInTest.TARGET,
                                            Optional.empty()));
            patiently().until(() -> Files.exists(data.resolve("asked")));

            asked.cancel(true);

            patiently().until(() -> Files.exists(data.resolve("called-off")));
        }
    }

    private static Deployment planned(String application) {
        return Deployment.newBuilder()
                .setApplicationId(application)
                .putDeployTargetsByPlugin(
                        "looking", DeployTargets.newBuilder().addDeployTargets("here").build())
                .build();
    }

    private static PipedConfig.Plugin plugin(String name, boolean blind) throws IOException {
        var config =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("blind", blind)
                        .put("state", data.toString());
        return HostInTest.plugin(name, LookingPlugin.program(data).toString(), 0, config);
    }
}
