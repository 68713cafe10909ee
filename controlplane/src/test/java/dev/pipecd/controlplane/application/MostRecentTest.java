// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_PENDING;
import static dev.pipecd.wire.model.DeploymentStatus.DEPLOYMENT_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.filestore.LocalFiles;
import dev.pipecd.controlplane.store.ApplicationTable;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.DeploymentStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which deployment of an application is taken for its latest, when agents with different clocks
/// tell of them.
final class MostRecentTest {
    private static final ApplicationId ID = new ApplicationId("a1");
    private static final Caller.Agent AGENT =
            new Caller.Agent(new ProjectId("here"), new PipedId("p1"));
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir private Path folder;
    private final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:00:00Z"));
    private Database database;
    private ApplicationReports reports;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("pipecd.db"));
        var applications = new ApplicationTable(database, new Trail(database), clock);
        applications.add(
                Application.newBuilder()
                        .setId(ID.value())
                        .setProjectId(AGENT.project().value())
                        .setPipedId(AGENT.piped().value())
                        .build(),
                "ann");
        reports = new ApplicationReports(applications, new LocalFiles(folder), clock);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void told(DeploymentStatus status, String deployment, Instant startedAt) {
        reports.mostRecent(
                AGENT,
                ID,
                status,
                ApplicationDeploymentReference.newBuilder()
                        .setDeploymentId(deployment)
                        .setStartedAt(startedAt.getEpochSecond())
                        .build());
    }

    private String latest(DeploymentStatus status) {
        return reports.mostRecent(AGENT, ID, status).getDeploymentId();
    }

    @Test
    void oneDatedAheadDoesNotStandInTheWayOfOneWithATrueDate() {
        told(DEPLOYMENT_PENDING, "ahead", clock.instant().plus(HOUR));
        clock.pass(MINUTE);

        told(DEPLOYMENT_PENDING, "true", clock.instant());

        assertThat(latest(DEPLOYMENT_PENDING)).isEqualTo("true");
    }

    @Test
    void ofTwoDatedAheadTheLaterOneStands() {
        told(DEPLOYMENT_PENDING, "second", clock.instant().plus(HOUR).plus(MINUTE));

        told(DEPLOYMENT_PENDING, "first", clock.instant().plus(HOUR));

        assertThat(latest(DEPLOYMENT_PENDING)).isEqualTo("second");
    }

    /// When it succeeds, the date ahead of the one before may have come.
    @Test
    void theLatestTriggeredThatSucceedsIsTheLatestThatSucceeded() {
        told(DEPLOYMENT_PENDING, "ahead", clock.instant().plus(HOUR));
        told(DEPLOYMENT_SUCCESS, "ahead", clock.instant().plus(HOUR));
        clock.pass(MINUTE);
        var triggered = clock.instant();
        told(DEPLOYMENT_PENDING, "true", triggered);
        clock.pass(HOUR);

        told(DEPLOYMENT_SUCCESS, "true", triggered);

        assertThat(latest(DEPLOYMENT_SUCCESS)).isEqualTo("true");
    }

    @Test
    void whatComesLateOfAnOlderOneIsNoNews() {
        told(DEPLOYMENT_PENDING, "older", clock.instant().minus(HOUR));
        told(DEPLOYMENT_PENDING, "newer", clock.instant());
        told(DEPLOYMENT_SUCCESS, "newer", clock.instant());

        told(DEPLOYMENT_SUCCESS, "older", clock.instant().minus(HOUR));
        told(DEPLOYMENT_PENDING, "older", clock.instant().minus(HOUR));

        assertThat(latest(DEPLOYMENT_SUCCESS)).isEqualTo("newer");
        assertThat(latest(DEPLOYMENT_PENDING)).isEqualTo("newer");
    }
}
