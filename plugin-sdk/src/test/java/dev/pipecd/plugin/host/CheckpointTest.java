// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.plugin.stage.NoOptions;
import dev.pipecd.plugin.stage.Otherwise;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.stage.StageRun;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.FakeAgent.Answer;
import dev.pipecd.plugin.testkit.StageOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A stage that goes on from its checkpoint in another host numbers its lines as before.
class CheckpointTest {
    private static final String WARNING =
            "app.pipecd.yaml: plugins.own: fiel: no option (expected: one of file); it is passed over";

    record Spec(@Otherwise("\"index.html\"") String file) {}

    @TempDir Path home;

    private FakeAgent agent;

    @BeforeEach
    void openAgent() throws Exception {
        agent = FakeAgent.open("secret");
        Files.writeString(
                home.resolve("app.pipecd.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: Application
                spec:
                  plugins: {own: {fiel: other.html}}
                """);
    }

    @AfterEach
    void closeAgent() {
        agent.close();
    }

    private PluginHost host(Stage.Work<NoOptions> work) throws Exception {
        var config = home.resolve("plugins.json");
        Files.writeString(
                config,
                """
                {"token": "secret", "stateDirectory": "%s", "plugins": [{"name": "own", "builtin": "test"}]}
                """
                        .formatted(home.resolve("state")));
        agent.heard().forgetPorts();
        return PluginHost.open(
                List.of(
                        "host",
                        "--piped-plugin-service",
                        agent.address(),
                        "--config-file",
                        config.toString()),
                List.of(StagePlugin.named("test", Stage.of("TEST", NoOptions.class, work))),
                InstantSource.system());
    }

    /// In two hosts, the first of which leaves while the stage waits at its end.
    private void runInTwoHosts(Stage.Work<NoOptions> work) throws Exception {
        var order = new StageOrder("own", "stage-1", "TEST", 0, "{}", home);
        try (var _ =
                host(run -> {
                    var _ = work.run(run);
                    new CountDownLatch(1).await();
                    return new StageOutcome.Succeeded();
                })) {
            var _ = agent.execute(order);
            await().atMost(Duration.ofMinutes(5))
                    .until(() -> agent.heard().lines("stage-1").contains("uploading"));
        }
        try (var _ = host(work)) {
            assertThat(agent.execute(order).get(5, TimeUnit.MINUTES))
                    .isEqualTo(new Answer("STAGE_SUCCESS", ""));
        }
        assertThat(agent.heard().contradictions()).isEmpty();
    }

    private static void half(StageRun<NoOptions> run) throws InterruptedException {
        if (run.checkpoint().isPresent()) return;
        run.log("begun");
        run.checkpoint("half");
    }

    @Test
    void aWarningFromBeforeTheCheckpointIsNotToldAgain() throws Exception {
        runInTwoHosts(run -> {
            var _ = run.source().spec(Spec.class);
            half(run);
            run.log("uploading");
            return new StageOutcome.Succeeded();
        });

        assertThat(agent.heard().lines("stage-1")).containsExactly(WARNING, "begun", "uploading");
    }

    @Test
    void aWarningFromBehindTheCheckpointIsToldAgainInItsPlace() throws Exception {
        runInTwoHosts(run -> {
            half(run);
            var _ = run.source().spec(Spec.class);
            run.log("uploading");
            return new StageOutcome.Succeeded();
        });

        assertThat(agent.heard().lines("stage-1")).containsExactly("begun", WARNING, "uploading");
    }

    @Test
    void aCheckpointIsReadAsItWasWritten() {
        var point = new Checkpoint(5, "half", List.of(WARNING));

        assertThat(Checkpoint.read(point.json())).contains(point);
        assertThat(Checkpoint.read("{\"line\":5,\"state\":\"half\"}"))
                .contains(new Checkpoint(5, "half", List.of()));
        assertThat(new Checkpoint(5, "half", List.of()).json())
                .isEqualTo("{\"line\":5,\"state\":\"half\"}");
        assertThat(Checkpoint.read("{\"line\":5}")).isEqualTo(Optional.empty());
        assertThat(Checkpoint.read("half")).isEqualTo(Optional.empty());
    }
}
