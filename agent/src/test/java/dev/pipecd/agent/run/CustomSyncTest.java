// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class CustomSyncTest {
    private static final PipelineStage ROLLBACK =
            PipelineStage.newBuilder()
                    .setName("CUSTOM_SYNC_ROLLBACK")
                    .setIndex(1)
                    .setRollback(true)
                    .build();

    @Test
    void itIsUndoneByTheScriptOfTheCommitThatRunsNow() {
        var running = application("{name: CUSTOM_SYNC, with: {run: old.sh}}");

        assertThat(CustomSync.options(running).toString()).isEqualTo("{\"run\":\"old.sh\"}");
    }

    @Test
    void itCannotBeUndoneWhereThatIsNotTheWholePipeline() {
        var running =
                application(
                        "{name: WAIT, with: {duration: 1s}}, {name: CUSTOM_SYNC, with: {run: a}}");

        assertThatThrownBy(() -> CustomSync.options(running))
                .hasMessage(
                        "CUSTOM_SYNC cannot be undone: the pipeline of the commit that runs now has 2 stage(s) (expected: one, CUSTOM_SYNC)");
    }

    @Test
    void whatWasNeverBegunIsNotUndone() {
        assertThat(CustomSync.unneeded(with(StageStatus.STAGE_NOT_STARTED_YET)))
                .hasValue("the stage it undoes was not begun");
        assertThat(CustomSync.unneeded(with(StageStatus.STAGE_SKIPPED)))
                .hasValue("the stage it undoes was not begun");
        assertThat(CustomSync.unneeded(with(StageStatus.STAGE_CANCELLED))).isEmpty();
    }

    private static Deployment with(StageStatus status) {
        return Deployment.newBuilder()
                .addStages(PipelineStage.newBuilder().setName("WAIT").setIndex(0))
                .addStages(
                        PipelineStage.newBuilder()
                                .setName("CUSTOM_SYNC")
                                .setIndex(1)
                                .setStatus(status))
                .addStages(ROLLBACK)
                .build();
    }

    private static ApplicationConfig application(String stages) {
        var text =
                """
                apiVersion: pipecd.dev/v1beta1
                kind: KubernetesApp
                spec:
                  name: site
                  pipeline:
                    stages: [%s]
                """
                        .formatted(stages);
        return Documents.application("app.pipecd.yaml", text.getBytes(StandardCharsets.UTF_8))
                .value();
    }
}
