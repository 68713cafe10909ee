// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.EventKind;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.agent.report.StateReports;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.ResourceState;
import dev.pipecd.wire.model.ResourceState.HealthStatus;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class NewsTest {
    private static final Application SITE =
            Application.newBuilder().setId("a1").setName("site").build();

    private final List<Event> told = new CopyOnWriteArrayList<>();
    private Instant now = Instant.ofEpochSecond(1_000);
    private SmallControlPlane controlPlane;
    private News news;

    @BeforeEach
    void start() throws Exception {
        controlPlane = SmallControlPlane.open();
        news = new News(new StateReports(controlPlane.client()), told::add, () -> now);
    }

    @AfterEach
    void stop() {
        controlPlane.close();
    }

    @Test
    void driftIsNotifiedWhenItBeginsAndWhenItEnds() {
        news.tell(SITE, picture(ApplicationSyncStatus.SYNCED));
        news.tell(SITE, picture(ApplicationSyncStatus.OUT_OF_SYNC));
        news.tell(SITE, picture(ApplicationSyncStatus.OUT_OF_SYNC));
        news.tell(SITE, picture(ApplicationSyncStatus.DEPLOYING));
        news.tell(SITE, picture(ApplicationSyncStatus.SYNCED));

        assertThat(told)
                .extracting(Event::kind)
                .containsExactly(EventKind.APPLICATION_OUT_OF_SYNC, EventKind.APPLICATION_SYNCED);
    }

    @Test
    void afterARestartOnlyWhatChangedMeanwhileIsNotified() {
        news.tell(
                known(ApplicationSyncStatus.OUT_OF_SYNC),
                picture(ApplicationSyncStatus.OUT_OF_SYNC));
        assertThat(told).isEmpty();

        news.tell(known(ApplicationSyncStatus.OUT_OF_SYNC), picture(ApplicationSyncStatus.SYNCED));
        assertThat(told).extracting(Event::kind).containsExactly(EventKind.APPLICATION_SYNCED);
    }

    @Test
    void recoveryIsNotifiedAlsoAfterATimeOfNotKnowing() {
        news.tell(SITE, health(HealthStatus.HEALTHY));
        news.tell(SITE, health(HealthStatus.UNHEALTHY));
        news.tell(SITE, health(HealthStatus.UNKNOWN));
        news.tell(SITE, health(HealthStatus.HEALTHY));
        news.tell(SITE, health(HealthStatus.HEALTHY));

        assertThat(told).extracting(Event::kind).containsExactly(EventKind.APPLICATION_HEALTHY);
    }

    @Test
    void theSameIsReportedAgainOnlyAfterTenMinutes() {
        news.tell(SITE, health(HealthStatus.HEALTHY));
        now = now.plusSeconds(599);
        news.tell(SITE, health(HealthStatus.HEALTHY));
        assertThat(controlPlane.snapshots).hasSize(1);

        now = now.plusSeconds(1);
        news.tell(SITE, health(HealthStatus.HEALTHY));
        assertThat(controlPlane.snapshots).hasSize(2);
    }

    @Test
    void whoeverWantsToKnowIsToldTheSameAgainOnce() {
        news.tell(SITE, health(HealthStatus.HEALTHY));
        now = now.plusSeconds(5);

        assertThat(news.want(new ApplicationId("a1"))).isTrue();
        news.tell(SITE, health(HealthStatus.HEALTHY));
        news.tell(SITE, health(HealthStatus.HEALTHY));

        assertThat(controlPlane.snapshots)
                .extracting(snapshot -> snapshot.getVersion().getTimestamp())
                .containsExactly(1_000L, 1_005L);
    }

    @Test
    void whatWasToldAMomentAgoIsNotWantedAgainUnlessTheClockWasPutBack() {
        news.tell(SITE, health(HealthStatus.HEALTHY));

        now = now.plusSeconds(4);
        assertThat(news.want(new ApplicationId("a1"))).isFalse();
        now = now.minusSeconds(100);
        assertThat(news.want(new ApplicationId("a1"))).isTrue();
    }

    @Test
    void aWishThatCouldNotBeAnsweredIsAnsweredByTheNextLook() {
        news.tell(SITE, health(HealthStatus.HEALTHY));
        now = now.plusSeconds(60);
        news.want(new ApplicationId("a1"));

        controlPlane.away(true);
        assertThatThrownBy(() -> news.tell(SITE, health(HealthStatus.HEALTHY)))
                .isInstanceOf(Problem.class);
        controlPlane.away(false);
        news.tell(SITE, health(HealthStatus.HEALTHY));

        assertThat(controlPlane.snapshots).hasSize(2);
    }

    @Test
    void aLiveStateTooLargeForAMessageIsCutAndSaysSo() {
        news.tell(SITE, large(5_000));

        var shown = controlPlane.snapshots.getFirst().getApplicationLiveState().getResourcesList();
        assertThat(shown).hasSizeBetween(3_000, 4_000);
        assertThat(shown.getFirst().getId()).isEqualTo("r0");
        assertThat(shown.getLast().getName())
                .isEqualTo(
                        "… and %d more: too many for one report"
                                .formatted(5_000 - (shown.size() - 1)));
        assertThat(shown.getLast().getPluginName()).isEqualTo("kubernetes");
        assertThat(controlPlane.statuses("a1")).containsExactly(ApplicationSyncStatus.OUT_OF_SYNC);
    }

    @Test
    void driftIsToldAlsoWhenTheLiveStateIsRefusedAndTheControlPlaneIsReached() {
        controlPlane.refuseSnapshots();

        assertThatThrownBy(() -> news.tell(SITE, large(1)))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("does not take it (INVALID_ARGUMENT: ");

        assertThat(controlPlane.statuses("a1")).containsExactly(ApplicationSyncStatus.OUT_OF_SYNC);
        assertThat(told).extracting(Event::kind).containsExactly(EventKind.APPLICATION_OUT_OF_SYNC);
        assertThat(controlPlane.client().trouble()).isEmpty();
    }

    private static Picture large(int resources) {
        var all =
                IntStream.range(0, resources)
                        .mapToObj(i ->
                                ResourceState.newBuilder()
                                        .setId("r" + i)
                                        .setName("x".repeat(1_000))
                                        .setPluginName("kubernetes")
                                        .build())
                        .toList();
        return new Picture(
                all,
                ApplicationSyncState.newBuilder()
                        .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                        .build(),
                true);
    }

    @Test
    void whatSomebodyElseReportedMeanwhileIsCorrected() {
        var synced = known(ApplicationSyncStatus.SYNCED);
        news.tell(synced, picture(ApplicationSyncStatus.SYNCED));
        news.tell(synced, picture(ApplicationSyncStatus.SYNCED));
        assertThat(controlPlane.statuses("a1")).hasSize(1);

        news.tell(
                known(ApplicationSyncStatus.INVALID_CONFIG), picture(ApplicationSyncStatus.SYNCED));
        assertThat(controlPlane.statuses("a1")).hasSize(2);
    }

    @Test
    void whatWasForgottenIsToldWhateverItIs() {
        var synced = known(ApplicationSyncStatus.SYNCED);
        news.tell(synced, picture(ApplicationSyncStatus.SYNCED));

        news.forget(new ApplicationId("a1"));
        news.tell(synced, picture(ApplicationSyncStatus.SYNCED));

        assertThat(controlPlane.statuses("a1")).hasSize(2);
    }

    private static Application known(ApplicationSyncStatus status) {
        return SITE.toBuilder()
                .setSyncState(ApplicationSyncState.newBuilder().setStatus(status).setTimestamp(5))
                .build();
    }

    private static Picture picture(ApplicationSyncStatus status) {
        return new Picture(
                List.of(),
                ApplicationSyncState.newBuilder().setStatus(status).setTimestamp(9).build(),
                true);
    }

    private static Picture health(HealthStatus health) {
        return new Picture(
                List.of(ResourceState.newBuilder().setId("r1").setHealthStatus(health).build()),
                ApplicationSyncState.newBuilder().setTimestamp(9).build(),
                true);
    }
}
