// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_FAILURE;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_RUNNING;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.ApplicationReports;
import dev.pipecd.controlplane.cache.InProcessCache;
import dev.pipecd.controlplane.filestore.LocalFiles;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.piped.Heartbeats;
import dev.pipecd.controlplane.piped.PipedReports;
import dev.pipecd.controlplane.store.ApplicationTable;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.DeploymentTable;
import dev.pipecd.controlplane.store.PipedTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent that dies in the midst of a deployment, seen a minute at a time.
final class LostDeploymentsTest {
    private static final PipedId PIPED = new PipedId("p1");
    private static final Caller.Agent AGENT = new Caller.Agent(new ProjectId("here"), PIPED);
    private static final DeploymentId ID = new DeploymentId("d1");
    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");
    private static final Duration LIMIT = Duration.ofHours(1);

    @TempDir private Path folder;
    private final TestClock clock = new TestClock(NOON);
    private InProcessCache cache = new InProcessCache();
    private Database database;
    private DeploymentTable table;
    private ApplicationTable applications;
    private Heartbeats heartbeats;
    private LostDeployments lost;
    private boolean serverLives = true;
    private boolean agentLives = true;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("pipecd.db"));
        var trail = new Trail(database);
        table = new DeploymentTable(database, trail, clock);
        applications = new ApplicationTable(database, trail, clock);
        applications.add(
                Application.newBuilder()
                        .setId("a1")
                        .setProjectId("here")
                        .setPipedId(PIPED.value())
                        .setDeploying(true)
                        .build(),
                "ann");
        table.add(
                Deployment.newBuilder()
                        .setId(ID.value())
                        .setApplicationId("a1")
                        .setProjectId("here")
                        .setPipedId(PIPED.value())
                        .setStatus(DEPLOYMENT_RUNNING)
                        .setStatusReason("waits for ann")
                        .addStages(
                                PipelineStage.newBuilder()
                                        .setId("s1")
                                        .setName("WAIT")
                                        .setStatus(StageStatus.STAGE_RUNNING))
                        .build(),
                "ann");
        begin(LIMIT);
    }

    /// As a process that has just started.
    private void begin(Duration limit) {
        cache = new InProcessCache();
        heartbeats = new Heartbeats(cache, clock);
        lost =
                new LostDeployments(
                        table, applications, () -> List.of(PIPED), heartbeats, limit, clock);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void minutes(int number) {
        for (var i = 0; i < number; i++) {
            if (serverLives) heartbeats.listen("server");
            if (agentLives) new PipedReports(pipeds(), heartbeats, clock).alive(AGENT);
            lost.look(Turn.ALWAYS);
            clock.pass(Duration.ofMinutes(1));
        }
    }

    private PipedTable pipeds() {
        return new PipedTable(database, new Trail(database), clock);
    }

    private Deployment deployment() {
        return table.find(ID).orElseThrow();
    }

    @Test
    void whileItsAgentLivesADeploymentMayTakeAsLongAsItLikes() {
        minutes(100);

        assertThat(deployment().getStatus()).isEqualTo(DEPLOYMENT_RUNNING);
        assertThat(deployment().getStatusReason()).isEqualTo("waits for ann");
    }

    @Test
    void theSilenceOfAnAgentIsToldBesideTheStatus() {
        minutes(10);
        agentLives = false;

        minutes(10);

        assertThat(deployment().getStatus()).isEqualTo(DEPLOYMENT_RUNNING);
        assertThat(deployment().getStatusReason())
                .isEqualTo("agent silent since 2026-11-15T12:09:00Z; waits for ann");
    }

    @Test
    void anAgentThatComesBackInTimeGoesOn() {
        minutes(10);
        agentLives = false;
        minutes(10);
        agentLives = true;

        minutes(1);

        assertThat(deployment().getStatusReason()).isEqualTo("waits for ann");
    }

    @Test
    void anAgentThatStaysAwayLosesItsDeployments() {
        minutes(10);
        agentLives = false;

        minutes(61);

        assertThat(deployment().getStatus()).isEqualTo(DEPLOYMENT_FAILURE);
        assertThat(deployment().getStatusReason())
                .isEqualTo("lost: its agent has not been heard of since 2026-11-15T12:09:00Z");
        assertThat(deployment().getMetadataV2().getShared().getKeyValuesMap())
                .containsEntry("pipecd/outcome", "Lost");
        assertThat(deployment().getCompletedAt())
                .isEqualTo(Instant.parse("2026-11-15T13:09:00Z").getEpochSecond());
        assertThat(applications.find(new ApplicationId("a1")).orElseThrow().getDeploying())
                .isFalse();
    }

    @Test
    void withoutALimitNothingIsEnded() {
        begin(Duration.ZERO);
        minutes(10);
        agentLives = false;

        minutes(200);

        assertThat(deployment().getStatus()).isEqualTo(DEPLOYMENT_RUNNING);
    }

    @Test
    void anOutageOfTheServersIsNoSilenceOfAnAgent() {
        minutes(10);
        serverLives = false;
        agentLives = false;
        minutes(100);
        assertThat(deployment().getStatusReason()).isEqualTo("waits for ann");
        serverLives = true;

        minutes(3);
        agentLives = true;
        minutes(10);

        assertThat(deployment().getStatusReason()).isEqualTo("waits for ann");
    }

    @Test
    void aRestartForgetsNoSilenceAndGivesTheLivingTimeToBeHeard() {
        minutes(10);
        agentLives = false;
        minutes(50);
        clock.pass(Duration.ofHours(5));
        begin(LIMIT);

        minutes(4);
        assertThat(deployment().getStatus()).isEqualTo(DEPLOYMENT_RUNNING);
        minutes(1);

        assertThat(deployment().getStatus()).isEqualTo(DEPLOYMENT_FAILURE);
    }

    @Test
    void aLateTrueReportCorrectsWhatWasTakenForLost() {
        minutes(10);
        agentLives = false;
        minutes(61);
        var reports = reports();

        var _ = reports.report(AGENT, ID, stage(StageStatus.STAGE_SUCCESS));
        assertThat(deployment().getStages(0).getStatus()).isEqualTo(StageStatus.STAGE_SUCCESS);
        assertThat(deployment().getStatusReason()).startsWith("lost: ");
        var _ = reports.report(AGENT, ID, end(DEPLOYMENT_SUCCESS));

        assertThat(deployment().getStatus()).isEqualTo(DEPLOYMENT_SUCCESS);
        assertThat(deployment().getStatusReason()).isEqualTo("done");
        assertThat(deployment().getCompletedAt()).isEqualTo(77);
        assertThat(deployment().getMetadataV2().getShared().getKeyValuesMap()).isEmpty();
        assertThat(lastDeed()).isEqualTo("success, after it had been taken for lost");
    }

    @Test
    void aLateFailureTellsItsTrueReason() {
        minutes(10);
        agentLives = false;
        minutes(61);

        var _ = reports().report(AGENT, ID, end(DEPLOYMENT_FAILURE));

        assertThat(deployment().getStatusReason()).isEqualTo("done");
        assertThat(deployment().getStages(0).getStatus()).isEqualTo(StageStatus.STAGE_FAILURE);
    }

    @Test
    void whatWasCorrectedIsAnEndLikeAnyOther() {
        minutes(10);
        agentLives = false;
        minutes(61);
        var _ = reports().report(AGENT, ID, end(DEPLOYMENT_SUCCESS));

        assertThatThrownBy(() -> reports().report(AGENT, ID, end(DEPLOYMENT_FAILURE)))
                .isInstanceOf(Problem.class);
    }

    private String lastDeed() {
        return new Trail(database).since(new ProjectId("here"), 0, 1000).getLast().what();
    }

    private DeploymentReports reports() {
        return new DeploymentReports(
                table, new ApplicationReports(applications, new LocalFiles(folder), clock), clock);
    }

    private static DeploymentReport.Stage stage(StageStatus status) {
        return new DeploymentReport.Stage(new StageId("s1"), status, "", List.of(), true, 0, 77);
    }

    private static DeploymentReport.Completed end(DeploymentStatus status) {
        return new DeploymentReport.Completed(
                status,
                "done",
                Map.of(
                        "s1",
                        status == DEPLOYMENT_SUCCESS
                                ? StageStatus.STAGE_SUCCESS
                                : StageStatus.STAGE_FAILURE),
                77);
    }
}
