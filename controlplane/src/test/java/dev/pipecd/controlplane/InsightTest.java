// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.insight.Collector;
import dev.pipecd.controlplane.insight.Delivery;
import dev.pipecd.controlplane.insight.DyingStore;
import dev.pipecd.controlplane.store.InsightTable;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.InsightApplicationCount;
import dev.pipecd.wire.model.InsightDataPoint;
import dev.pipecd.wire.model.InsightMetricsKind;
import dev.pipecd.wire.model.InsightResolution;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.web.DisableApplicationRequest;
import dev.pipecd.wire.web.GetInsightApplicationCountRequest;
import dev.pipecd.wire.web.GetInsightDataRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The four keys, counted from what agents report.
class InsightTest {
    private static final long DAY = 86_400;
    private static final long FIRST = Instant.parse("2026-10-30T00:00:00Z").getEpochSecond();

    @TempDir Path folder;
    private World world;
    private Samples.Home home;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void theFourKeysAreToldByDayWithNothingForDaysWithout() {
        deployed("d1", "dev", FIRST + 100, FIRST + 400, true);
        deployed("d2", "dev", FIRST + 100, FIRST + 1_000, false);
        deployed("d3", "dev", FIRST + 100, FIRST + 1_500, false);
        deployed("d4", "dev", FIRST + 2 * DAY, FIRST + 2 * DAY + 100, true);
        collect();

        assertThat(values(InsightMetricsKind.DEPLOYMENT_FREQUENCY)).containsExactly(3f, 0f, 1f, 0f);
        assertThat(values(InsightMetricsKind.CHANGE_FAILURE_RATE))
                .containsExactly(2 / 3f, 0f, 0f, 0f);
        assertThat(values(InsightMetricsKind.LEAD_TIME)).containsExactly(300f, 0f, 100f, 0f);
        assertThat(values(InsightMetricsKind.MTTR))
                .containsExactly(0f, 0f, 2f * DAY + 100 - 1_000, 0f);
    }

    @Test
    void aDeploymentOfTheCommitThatRanAlreadyAddsNoLeadTime() {
        deployed("c", "dev", FIRST + 100, FIRST + 400, true);
        create(home, "nightly", "dev", Commit.newBuilder().setHash("c").setCreatedAt(FIRST + 100));
        plan("nightly", "c");
        end(home, "nightly", FIRST + 50_000, true);
        create(home, "next", "dev", Commit.newBuilder().setHash("n").setCreatedAt(FIRST + 60_000));
        plan("next", "c");
        end(home, "next", FIRST + 60_100, true);
        collect();

        assertThat(values(InsightMetricsKind.LEAD_TIME).getFirst()).isEqualTo(200f);
        assertThat(values(InsightMetricsKind.DEPLOYMENT_FREQUENCY).getFirst()).isEqualTo(3f);
    }

    @Test
    void monthsAreMadeOfDaysInUtc() {
        deployed("d1", "dev", FIRST, FIRST + 400, true);
        deployed("d2", "dev", FIRST, FIRST + 2 * DAY - 1, true);
        deployed("d3", "dev", FIRST, FIRST + 2 * DAY, true);
        collect();

        var points =
                points(
                        question(InsightMetricsKind.DEPLOYMENT_FREQUENCY)
                                .setResolution(InsightResolution.MONTHLY)
                                .build());

        assertThat(points).extracting(InsightDataPoint::getValue).containsExactly(2f, 1f);
        assertThat(points)
                .extracting(p -> Instant.ofEpochSecond(p.getTimestamp()).toString())
                .containsExactly("2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z");
    }

    @Test
    void aProjectALabelOrAnApplicationIsCountedForItself() {
        deployed("d1", "dev", FIRST, FIRST + 1, true);
        deployed("d2", "prod", FIRST, FIRST + 2, true);
        var there = Samples.home(world, ELSEWHERE);
        deployed(there, "d3", "dev", FIRST, FIRST + 3, true);
        collect();
        var frequency = question(InsightMetricsKind.DEPLOYMENT_FREQUENCY);

        assertThat(points(frequency.build()).getFirst().getValue()).isEqualTo(2f);
        assertThat(points(frequency.clone().putLabels("env", "prod").build()).getFirst().getValue())
                .isEqualTo(1f);
        assertThat(
                        points(frequency.clone().setApplicationId(home.application()).build())
                                .getFirst()
                                .getValue())
                .isEqualTo(2f);
        assertThat(
                        points(frequency.clone().setApplicationId(there.application()).build())
                                .getFirst()
                                .getValue())
                .isZero();
    }

    @Test
    void whatIsToldTwiceOrCountedAgainCountsOnce() {
        deployed("d1", "dev", FIRST, FIRST + 1, true);
        collect();
        collect();
        var table = table();
        table.count(
                List.of(
                        new Delivery(
                                "d1",
                                "here",
                                home.application(),
                                Map.of(),
                                FIRST + 1,
                                DeploymentStatus.DEPLOYMENT_SUCCESS,
                                1)),
                table.mark());

        assertThat(values(InsightMetricsKind.DEPLOYMENT_FREQUENCY).getFirst()).isEqualTo(1f);
    }

    @Test
    void aCrashAtAnyMomentLosesAndDoublesNothing() {
        for (var i = 0; i < 240; i++) deployed("d" + i, "dev", FIRST, FIRST + i, i % 3 != 0);
        for (var crashAfter = 0; crashAfter < 6; crashAfter++) {
            var dying = new DyingStore(table(), crashAfter);
            var collector = new Collector(dying, changes());
            try {
                collector.collect();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("crash");
            }
        }
        collect();

        assertThat(values(InsightMetricsKind.DEPLOYMENT_FREQUENCY).getFirst()).isEqualTo(240f);
        assertThat(values(InsightMetricsKind.CHANGE_FAILURE_RATE).getFirst()).isEqualTo(80 / 240f);
    }

    @Test
    void lateReportsGiveTheSameTimesToRestoreAsTimelyOnes() {
        deployed("ok", "dev", FIRST, FIRST + 500, true);
        collect();
        deployed("late", "dev", FIRST, FIRST + 200, false);
        collect();
        deployed("between", "dev", FIRST, FIRST + 300, true);
        collect();

        assertThat(values(InsightMetricsKind.MTTR).getFirst()).isEqualTo(100f);
    }

    @Test
    void whatWasCompletedWhileNobodyCountedIsCountedAtTheNextStart() throws Exception {
        collect();
        deployed("d1", "dev", FIRST, FIRST + 1, true);
        world.close();
        world = new World(folder);

        collect();

        assertThat(values(InsightMetricsKind.DEPLOYMENT_FREQUENCY).getFirst()).isEqualTo(1f);
    }

    @Test
    void aRangeThatIsReversedOrTooLongIsRefused() {
        for (var to : List.of(FIRST - 3 * DAY, FIRST + 800 * DAY))
            assertThatThrownBy(
                            () -> points(question(InsightMetricsKind.MTTR).setRangeTo(to).build()))
                    .hasMessageStartingWith("INVALID_ARGUMENT: range: ");
    }

    @Test
    void applicationsAreCountedByKindAndWhetherTheyAreEnabled() {
        var web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")));
        var request = GetInsightApplicationCountRequest.getDefaultInstance();

        assertThat(web.getInsightApplicationCount(request).getCountsList())
                .containsExactly(count("ENABLED"));
        var _ =
                web.disableApplication(
                        DisableApplicationRequest.newBuilder()
                                .setApplicationId(home.application())
                                .build());
        assertThat(web.getInsightApplicationCount(request).getCountsList())
                .containsExactly(count("DISABLED"));
    }

    private static InsightApplicationCount count(String status) {
        return InsightApplicationCount.newBuilder()
                .putLabels("KIND", "KUBERNETES")
                .putLabels("ACTIVE_STATUS", status)
                .setCount(1)
                .build();
    }

    private void collect() {
        new Collector(table(), changes()).collect();
    }

    private InsightTable table() {
        return new InsightTable(world.features.stores().database());
    }

    private Changes changes() {
        return world.features.changes();
    }

    private List<Float> values(InsightMetricsKind kind) {
        return points(question(kind).build()).stream().map(InsightDataPoint::getValue).toList();
    }

    private static GetInsightDataRequest.Builder question(InsightMetricsKind kind) {
        return GetInsightDataRequest.newBuilder()
                .setMetricsKind(kind)
                .setRangeFrom(FIRST + 5_000)
                .setRangeTo(FIRST + 3 * DAY + 5);
    }

    private List<InsightDataPoint> points(GetInsightDataRequest request) {
        return WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Viewer")))
                .getInsightData(request)
                .getMatrix(0)
                .getDataPointsList();
    }

    private void deployed(String id, String env, long committed, long completed, boolean success) {
        deployed(home, id, env, committed, completed, success);
    }

    private static void deployed(
            Samples.Home home,
            String id,
            String env,
            long committed,
            long completed,
            boolean success) {
        create(home, id, env, Commit.newBuilder().setHash(id).setCreatedAt(committed));
        home.plan(id);
        end(home, id, completed, success);
    }

    private void plan(String deployment, String running) {
        var _ =
                home.calls()
                        .reportDeploymentPlanned(
                                ReportDeploymentPlannedRequest.newBuilder()
                                        .setDeploymentId(deployment)
                                        .setSummary("quick sync")
                                        .setRunningCommitHash(running)
                                        .addStages(Samples.stage("s1", "SCRIPT_RUN", false))
                                        .build());
    }

    private static void create(Samples.Home home, String id, String env, Commit.Builder commit) {
        var _ =
                home.calls()
                        .createDeployment(
                                CreateDeploymentRequest.newBuilder()
                                        .setDeployment(
                                                Samples.deployment(
                                                                id,
                                                                home.application(),
                                                                home.agent())
                                                        .toBuilder()
                                                        .putLabels("env", env)
                                                        .setTrigger(
                                                                DeploymentTrigger.newBuilder()
                                                                        .setCommit(commit)
                                                                        .setTimestamp(1)))
                                        .build());
    }

    private static void end(Samples.Home home, String id, long completed, boolean success) {
        home.move(id, DeploymentStatus.DEPLOYMENT_RUNNING);
        var _ =
                home.calls()
                        .reportDeploymentCompleted(
                                ReportDeploymentCompletedRequest.newBuilder()
                                        .setDeploymentId(id)
                                        .setStatus(
                                                success
                                                        ? DeploymentStatus.DEPLOYMENT_SUCCESS
                                                        : DeploymentStatus.DEPLOYMENT_FAILURE)
                                        .setCompletedAt(completed)
                                        .build());
    }
}
