// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.web.ListUnregisteredApplicationsRequest;
import dev.pipecd.wire.web.RestartPipedRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What the agent tells beside deploying, through the real control plane.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OutlookTest {
    private Installation at;

    @BeforeAll
    void open() {
        at = Installation.open();
    }

    @AfterAll
    void close() throws Exception {
        at.close();
    }

    @Test
    void aFileIsSuggestedUntilItIsRegistered() {
        at.repository()
                .commit(
                        "suggested/app.pipecd.yaml",
                        Sample.pipeline().waiting("1s").yaml("suggested"),
                        "Add a file");
        at.repository().tell();
        at.await(
                "the suggestion",
                () -> suggested().contains("suggested") ? Optional.of(true) : Optional.empty());

        at.register("suggested", "suggested", "samples");

        at.await(
                "the suggestion to go",
                () -> suggested().contains("suggested") ? Optional.empty() : Optional.of(true));
    }

    @Test
    void aChangeIsPreviewedWithItsTrueStrategyAndNothingIsDeployed() {
        var app = at.add("previewed", Sample.pipeline().waiting("1s"));
        app.awaitEnd(app.first());
        at.repository().git("checkout", "--quiet", "-b", "change");
        var head = at.repository().commit("previewed/index.html", "hello", "Say hello");
        at.repository().git("checkout", "--quiet", "main");

        var shown =
                at.pipectl(
                        "plan-preview",
                        "--repo-remote-url",
                        at.repository().directory().toString(),
                        "--head-branch",
                        "change",
                        "--head-commit",
                        head,
                        "--base-branch",
                        "main");

        assertThat(shown.output())
                .matches(
                        """
                        Plan preview is ordered \\(commands [0-9a-f-]{36}\\); waiting for 1 agent\\.
                        Application previewed: PIPELINE
                          pipeline: alwaysUsePipeline is set
                        """);
        assertThat(at.person().deployments(app.id())).hasSize(1);
    }

    @Test
    void anOrderedRestartEndsTheAgentInGoodOrderAndTheNextOneDoesNotRepeatIt() {
        var order =
                at.person()
                        .web()
                        .restartPiped(
                                RestartPipedRequest.newBuilder().setPipedId(at.pipedId()).build())
                        .getCommandId();

        assertThat(at.agent().exitCode()).isZero();
        at.startAgent();

        at.await(
                "the answer to the order",
                () ->
                        Optional.of(at.person().command(order).getStatus())
                                .filter(s -> s == CommandStatus.COMMAND_SUCCEEDED));
        assertThat(at.agent().isAlive()).isTrue();
    }

    private List<String> suggested() {
        return at
                .person()
                .web()
                .listUnregisteredApplications(
                        ListUnregisteredApplicationsRequest.getDefaultInstance())
                .getApplicationsList()
                .stream()
                .map(ApplicationInfo::getName)
                .toList();
    }
}
