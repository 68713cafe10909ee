// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.plugin.LiveState;
import dev.pipecd.config.Warning;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot.Status;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.ResourceState;
import dev.pipecd.wire.model.ResourceState.HealthStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PictureTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_000);

    @Test
    void theWorstOfAllPluginsIsTheStateAndEveryReasonIsTold() {
        var picture =
                Picture.of(
                        Map.of(
                                "a", seen(drift(ApplicationSyncStatus.OUT_OF_SYNC, "1 differs")),
                                "b", seen(drift(ApplicationSyncStatus.SYNCED, ""))),
                        List.of(),
                        NOW);

        assertThat(picture.drift())
                .isEqualTo(
                        ApplicationSyncState.newBuilder()
                                .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                                .setReason("1 differs")
                                .setTimestamp(1_000)
                                .build());
    }

    @Test
    void aPluginThatCannotTellMakesSyncedUnknownButNotOutOfSync() {
        var synced =
                Picture.of(
                        Map.of("a", seen(drift(ApplicationSyncStatus.SYNCED, ""))),
                        List.of("b is down"),
                        NOW);
        var drifted =
                Picture.of(
                        Map.of("a", seen(drift(ApplicationSyncStatus.OUT_OF_SYNC, "1 differs"))),
                        List.of("b is down"),
                        NOW);

        assertThat(synced.drift().getStatus()).isEqualTo(ApplicationSyncStatus.UNKNOWN);
        assertThat(synced.drift().getReason()).isEqualTo("b is down");
        assertThat(synced.whole()).isFalse();
        assertThat(drifted.drift().getStatus()).isEqualTo(ApplicationSyncStatus.OUT_OF_SYNC);
        assertThat(drifted.drift().getReason()).isEqualTo("1 differs\nb is down");
    }

    @Test
    void aPluginThatSaysNothingOfDriftLeavesItUnknown() {
        var picture =
                Picture.of(
                        Map.of("a", seen(ApplicationSyncState.getDefaultInstance())),
                        List.of(),
                        NOW);

        assertThat(picture.drift().getStatus()).isEqualTo(ApplicationSyncStatus.UNKNOWN);
    }

    @Test
    void oneUnhealthyResourceMakesTheApplicationUnhealthyAndNoneAtAllUnknown() {
        assertThat(healthOf(HealthStatus.HEALTHY, HealthStatus.UNKNOWN, HealthStatus.UNHEALTHY))
                .isEqualTo(Status.UNHEALTHY);
        assertThat(healthOf(HealthStatus.HEALTHY, HealthStatus.UNKNOWN)).isEqualTo(Status.UNKNOWN);
        assertThat(healthOf(HealthStatus.HEALTHY)).isEqualTo(Status.HEALTHY);
        assertThat(healthOf()).isEqualTo(Status.UNKNOWN);
    }

    @Test
    void whatTheControlPlaneWouldRefuseIsCompleted() {
        var nameless = ResourceState.newBuilder().setId("r1").build();
        var withoutId = ResourceState.newBuilder().setName("x").build();
        var picture =
                Picture.of(
                        Map.of(
                                "a",
                                new LiveState.Seen(
                                        List.of(nameless, withoutId),
                                        ApplicationSyncState.getDefaultInstance())),
                        List.of(),
                        NOW);

        assertThat(picture.resources())
                .containsExactly(
                        ResourceState.newBuilder()
                                .setId("r1")
                                .setName("r1")
                                .setPluginName("a")
                                .setCreatedAt(1_000)
                                .setUpdatedAt(1_000)
                                .build());
    }

    @Test
    void warningsStandBesideWhatIsInSyncAndNotBesideADrift() {
        var warning = List.of(new Warning("app.pipecd.yaml", 3, 3, "spec.x", "ignored"));
        var synced = drift(ApplicationSyncStatus.SYNCED, "all is well");
        var drifted = drift(ApplicationSyncStatus.OUT_OF_SYNC, "one is gone");

        assertThat(new Picture(List.of(), synced, true).beside(warning).drift().getReason())
                .isEqualTo("all is well\napp.pipecd.yaml:3:3: spec.x: ignored");
        assertThat(new Picture(List.of(), drifted, true).beside(warning).drift())
                .isEqualTo(drifted);
    }

    @Test
    void aLaterLookAtTheSameIsNoNews() {
        var early = Picture.of(Map.of("a", seen(HealthStatus.HEALTHY)), List.of(), NOW);
        var late =
                Picture.of(Map.of("a", seen(HealthStatus.HEALTHY)), List.of(), NOW.plusSeconds(60));

        assertThat(late.resources()).isNotEqualTo(early.resources());
        assertThat(late.digest()).isEqualTo(early.digest());
    }

    private static Status healthOf(HealthStatus... resources) {
        return Picture.of(Map.of("a", seen(resources)), List.of(), NOW).health();
    }

    private static LiveState.Seen seen(HealthStatus... resources) {
        return new LiveState.Seen(
                java.util.stream.IntStream.range(0, resources.length)
                        .mapToObj(i ->
                                ResourceState.newBuilder()
                                        .setId("r" + i)
                                        .setHealthStatus(resources[i])
                                        .build())
                        .toList(),
                ApplicationSyncState.getDefaultInstance());
    }

    private static LiveState.Seen seen(ApplicationSyncState drift) {
        return new LiveState.Seen(List.of(), drift);
    }

    private static ApplicationSyncState drift(ApplicationSyncStatus status, String reason) {
        return ApplicationSyncState.newBuilder()
                .setStatus(status)
                .setReason(reason)
                .setTimestamp(7)
                .build();
    }
}
