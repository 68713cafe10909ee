// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.application.ApplicationReports;
import dev.pipecd.controlplane.cache.InProcessCache;
import dev.pipecd.controlplane.deployment.DeploymentReport;
import dev.pipecd.controlplane.deployment.DeploymentReports;
import dev.pipecd.controlplane.deployment.LostDeployments;
import dev.pipecd.controlplane.filestore.LocalFiles;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.piped.Heartbeats;
import dev.pipecd.controlplane.piped.PipedReports;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// A lost deployment on every engine: ended where the chores run, corrected where its agent comes
/// back. The rules of it are in `LostDeploymentsTest`.
@ParameterizedClass
@EnumSource(TestEngine.class)
final class LostContractTest {
    private static final DeploymentId ID = new DeploymentId("d1");
    private static final Caller.Agent AGENT = new Caller.Agent(Replica.PROJECT, Replica.PIPED);

    private final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:00:00Z"));
    private final Replicas replicas;
    private final Database here;
    private final Database there;
    @TempDir private Path folder;

    LostContractTest(TestEngine engine) {
        replicas = engine.replicas();
        here = replicas.here();
        there = engine.shared() ? replicas.there() : here;
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    @Test
    void whatIsLostIsEndedAndALateTrueReportCorrectsIt() {
        var table = new DeploymentTable(here, new Trail(here), clock);
        var applications = new ApplicationTable(here, new Trail(here), clock);
        applications.add(Replica.application("a1").toBuilder().setDeploying(true).build(), "ann");
        table.add(
                Deployment.newBuilder()
                        .setId(ID.value())
                        .setApplicationId("a1")
                        .setApplicationName("site")
                        .setProjectId(Replica.PROJECT.value())
                        .setPipedId(Replica.PIPED.value())
                        .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                        .build(),
                "ann");
        var heartbeats = new Heartbeats(new InProcessCache(), clock);
        new PipedReports(new PipedTable(here, new Trail(here), clock), heartbeats, clock)
                .alive(AGENT);
        var lost =
                new LostDeployments(
                        table,
                        applications,
                        () -> List.of(Replica.PIPED),
                        heartbeats,
                        Duration.ofMinutes(10),
                        clock);

        for (var minute = 0; minute < 20; minute++) {
            heartbeats.listen("server");
            lost.look(Turn.ALWAYS);
            clock.pass(Duration.ofMinutes(1));
        }

        var seen = new DeploymentTable(there, new Trail(there), clock);
        var ended = seen.find(ID).orElseThrow();
        assertThat(ended.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_FAILURE);
        assertThat(ended.getMetadataV2().getShared().getKeyValuesMap())
                .containsEntry("pipecd/outcome", "Lost");

        var _ =
                new DeploymentReports(
                                seen,
                                new ApplicationReports(
                                        new ApplicationTable(there, new Trail(there), clock),
                                        new LocalFiles(folder),
                                        clock),
                                clock)
                        .report(
                                AGENT,
                                ID,
                                new DeploymentReport.Completed(
                                        DeploymentStatus.DEPLOYMENT_SUCCESS, "done", Map.of(), 77));

        var corrected = table.find(ID).orElseThrow();
        assertThat(corrected.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_SUCCESS);
        assertThat(corrected.getStatusReason()).isEqualTo("done");
        assertThat(corrected.getMetadataV2().getShared().getKeyValuesMap()).isEmpty();
    }
}
