// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Samples.line;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.ListStageLogsResponse;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.piped.ReportStageLogsFromLastCheckpointRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// All logs of a deployment in one answer, as `pipectl deployment logs` asks for them.
final class LongStageLogsTest {
    @TempDir private Path folder;
    private World world;
    private Samples.Home home;
    private APIServiceBlockingStub api;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        api = APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, false)));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private ListStageLogsResponse logs() {
        return api.listStageLogs(ListStageLogsRequest.newBuilder().setDeploymentId("d1").build());
    }

    private void logOf(String stage, int lines, boolean completed) {
        var blocks = IntStream.range(0, lines).mapToObj(i -> line(i, "x".repeat(10_000))).toList();
        for (var i = 0; i < lines; i += 100) {
            var last = Math.min(lines, i + 100);
            var _ =
                    home.calls()
                            .reportStageLogsFromLastCheckpoint(
                                    ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                            .setDeploymentId("d1")
                                            .setStageId(stage)
                                            .addAllBlocks(blocks.subList(i, last))
                                            .setCompleted(completed && last == lines)
                                            .build());
        }
    }

    /// Clients take 4 MiB at once.
    @Test
    void longLogsAreCutAndSayHowToReadOn() {
        home.running("d1");
        logOf("s1", 400, true);
        logOf("s2", 300, false);

        var told = logs();

        assertThat(told.getSerializedSize()).isBetween(3_000_000, 3_600_000);
        assertThat(told.getStageLogsOrThrow("s1").getCompleted()).isTrue();
        assertThat(told.getStageLogsOrThrow("s2").getCompleted()).isFalse();
        for (var stage : List.of("s1", "s2"))
            assertThat(told.getStageLogsOrThrow(stage).getBlocksList().getLast().getLog())
                    .isEqualTo(
                            "(cut: the logs are longer than one answer. All of it: `pipectl"
                                    + " deployment logs --deployment-id d1 --follow`, or the"
                                    + " deployment's page)");
    }

    @Test
    void aShortLogIsWholeBesideALongOne() {
        home.running("d1");
        logOf("s1", 400, true);
        logOf("s2", 50, true);

        var told = logs();

        assertThat(told.getStageLogsOrThrow("s2").getBlocksList()).hasSize(50);
        assertThat(told.getStageLogsOrThrow("s2").getCompleted()).isTrue();
        assertThat(told.getStageLogsOrThrow("s1").getBlocksCount()).isGreaterThan(250);
        assertThat(told.getStageLogsOrThrow("s1").getBlocksList().getLast().getLog())
                .startsWith("(cut: ");
    }

    /// Users of the classic agents choose ids for their stages; what cannot be a file has no log.
    @Test
    void aStageWithAnIdOfItsUsersHasItsLogAndNoneHidesAnother() {
        home.create("d1");
        var _ =
                home.calls()
                        .reportDeploymentPlanned(
                                ReportDeploymentPlannedRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setSummary("planned")
                                        .addStages(Samples.stage("approve prod", "WAIT", false))
                                        .addStages(Samples.stage("a/b", "SCRIPT_RUN", false))
                                        .build());
        home.move("d1", DeploymentStatus.DEPLOYMENT_RUNNING);

        logOf("approve prod", 3, true);

        assertThat(logs().getStageLogsOrThrow("approve prod").getBlocksCount()).isEqualTo(3);
        assertThat(logs().getStageLogsOrThrow("approve prod").getCompleted()).isTrue();
        assertThat(logs().getStageLogsOrThrow("a/b").getBlocksCount()).isZero();
    }

    @Test
    void aRollbackThatNeverRanHasNoLog() {
        home.create("d1");
        var _ =
                home.calls()
                        .reportDeploymentPlanned(
                                ReportDeploymentPlannedRequest.newBuilder()
                                        .setDeploymentId("d1")
                                        .setSummary("planned")
                                        .addStages(Samples.stage("s1", "SCRIPT_RUN", false))
                                        .addStages(Samples.stage("r1", "ROLLBACK", true))
                                        .build());

        assertThat(logs().getStageLogsMap()).containsOnlyKeys("s1");

        home.move("d1", DeploymentStatus.DEPLOYMENT_RUNNING);
        logOf("r1", 1, false);
        assertThat(logs().getStageLogsMap()).containsOnlyKeys("s1", "r1");
    }
}
