// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.TestClock;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.insight.Collector;
import dev.pipecd.controlplane.insight.DyingStore;
import dev.pipecd.controlplane.insight.Question;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A database on a real MySQL that the public server had for a while, between two times of ours:
/// what it completed stands in no trail, and is counted all the same.
final class FiguresAfterReturnTest {
    private static final String APPLICATION = "b6e1f5a0-0d3c-4d0e-8f5e-2f1f3c9f6a11";
    private final TestClock clock = new TestClock(Instant.parse("2026-11-15T12:00:00Z"));
    private Database.Place.Server place;
    private int made;

    @BeforeEach
    void ours() {
        place = (Database.Place.Server) TestEngine.MYSQL.fresh();
        try (var database = TestEngine.open(place)) {
            var trail = new Trail(database);
            new Collector(new InsightTable(database), new Changes(trail)).collect();
            new DeploymentTable(database, trail, clock)
                    .add(
                            Deployment.newBuilder()
                                    .setId(nextId())
                                    .setApplicationId(APPLICATION)
                                    .setApplicationName("canary")
                                    .setPipedId("1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1")
                                    .setProjectId("quickstart")
                                    .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                                    .setCompletedAt(clock.instant().getEpochSecond())
                                    .build(),
                            "ann");
        }
        assertThat(countedAfterAStart()).isEqualTo(1);
    }

    @AfterEach
    void drop() {
        execute("DROP DATABASE " + place.dsn().database());
    }

    private String nextId() {
        made++;
        // ids have no order in time
        return "%08x-0000-4000-8000-000000000001".formatted(made * 0x9E3779B1);
    }

    private void execute(String sql) {
        TestEngine.MYSQL.server().execute(place.dsn().database(), sql);
    }

    /// As the public server leaves it. The agent's clock may be far behind.
    private void completedByThePublicServer(int status) {
        clock.pass(Duration.ofSeconds(30));
        var id = nextId();
        var now = clock.instant().getEpochSecond();
        execute(
                """
                INSERT INTO Deployment (Id, Data) VALUES (UUID_TO_BIN('%1$s', TRUE),
                '{"id": "%1$s", "application_id": "%2$s", "application_name": "canary",
                  "piped_id": "1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1", "project_id": "quickstart", "status": %3$d,
                  "trigger": {"commit": {"hash": "c0ffee"}, "timestamp": 1},
                  "completed_at": %4$d, "created_at": %5$d, "updated_at": %5$d, "_extra": "canary"}')
                """
                        .formatted(id, APPLICATION, status, now - 2 * 86_400, now));
    }

    private long countedAfterAStart() {
        try (var database = TestEngine.open(place)) {
            var table = new InsightTable(database);
            new Collector(table, new Changes(new Trail(database))).collect();
            return counted(table);
        }
    }

    private long counted(InsightTable table) {
        var today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        return table
                .days(
                        new Question(
                                new ProjectId("quickstart"),
                                "",
                                Map.of(),
                                today.minusDays(10),
                                today.plusDays(1)))
                .stream()
                .mapToLong(day -> day.sums().completed())
                .sum();
    }

    @Test
    void whatThePublicServerCompletedMeanwhileIsCountedOnce() {
        for (var status = 4; status <= 6; status++) completedByThePublicServer(status);
        completedByThePublicServer(2); // still running

        assertThat(countedAfterAStart()).isEqualTo(4);
        assertThat(countedAfterAStart()).isEqualTo(4);
    }

    @Test
    void moreThanAPageIsCountedToo() {
        for (var i = 0; i < 205; i++) completedByThePublicServer(4);

        assertThat(countedAfterAStart()).isEqualTo(206);
    }

    @Test
    void whoDiesWhileCatchingUpBeginsAgain() {
        for (var i = 0; i < 205; i++) completedByThePublicServer(4);
        completedByThePublicServer(5);
        try (var database = TestEngine.open(place)) {
            var changes = new Changes(new Trail(database));
            var dying = new DyingStore(new InsightTable(database), 1);
            assertThatThrownBy(() -> new Collector(dying, changes).collect()).hasMessage("crash");
            // meanwhile agents go on reporting
            new DeploymentTable(database, new Trail(database), clock)
                    .add(
                            Deployment.newBuilder()
                                    .setId(nextId())
                                    .setApplicationId(APPLICATION)
                                    .setApplicationName("canary")
                                    .setPipedId("1f3b5a52-7c0a-4a53-9f35-64c4a1d4e0b1")
                                    .setProjectId("quickstart")
                                    .build(),
                            "ann");
        }
        clock.pass(Duration.ofDays(1));

        assertThat(countedAfterAStart()).isEqualTo(207);
    }
}
