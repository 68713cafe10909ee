// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plugin.LiveState;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.agent.report.StateReports;
import dev.pipecd.config.Warning;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.ResourceState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DriftTest {
    @TempDir Path directory;

    private final ScriptedSight sight = new ScriptedSight();
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    private final Set<ApplicationId> deploying = ConcurrentHashMap.newKeySet();
    private SmallControlPlane controlPlane;
    private Applications applications;
    private Drift drift;

    @BeforeEach
    void start() throws Exception {
        controlPlane = SmallControlPlane.open();
        applications = new Applications(directory.resolve("applications"));
        var system = InstantSource.system();
        InstantSource clock = () -> system.instant().plus(ahead.get());
        drift =
                new Drift(
                                applications,
                                Application::getDeployTargetsByPluginMap,
                                sight,
                                new News(
                                        new StateReports(controlPlane.client()),
                                        Notifier.NOBODY,
                                        clock),
                                deploying::contains,
                                clock)
                        .start();
    }

    @AfterEach
    void stop() {
        drift.close();
        controlPlane.close();
    }

    @Test
    void whatRunsAndHowItComparesIsTold() {
        sight.eyes.put("fake", _ -> synced());
        serve(application("a1", "fake"));

        patiently().until(() -> controlPlane.statuses("a1").size() == 1);
        assertThat(controlPlane.snapshots)
                .singleElement()
                .satisfies(snapshot -> {
                    assertThat(snapshot.getApplicationId()).isEqualTo("a1");
                    assertThat(snapshot.getHealthStatus())
                            .isEqualTo(ApplicationLiveStateSnapshot.Status.HEALTHY);
                    assertThat(snapshot.getVersion().getTimestamp()).isPositive();
                    assertThat(snapshot.getApplicationLiveState().getResourcesList())
                            .extracting(ResourceState::getId)
                            .containsExactly("r1");
                });
        assertThat(controlPlane.statuses("a1")).containsExactly(ApplicationSyncStatus.SYNCED);
        assertThat(sight.looks).containsExactly("fake a1 [here]");
    }

    @Test
    void whatTheFileSaysWithoutEffectStaysBesideWhatIsInSync() {
        sight.warnings = List.of(new Warning("app.pipecd.yaml", 3, 3, "spec.x", "ignored"));
        sight.eyes.put("fake", _ -> synced());
        serve(application("a1", "fake"));

        patiently().until(() -> controlPlane.statuses("a1").size() == 1);
        assertThat(controlPlane.reasons("a1"))
                .containsExactly("app.pipecd.yaml:3:3: spec.x: ignored");
    }

    @Test
    void aPluginThatHangsHoldsUpNobodyElse() throws Exception {
        var release = new CountDownLatch(1);
        sight.eyes.put(
                "slow",
                _ -> {
                    release.await();
                    return synced();
                });
        sight.eyes.put("quick", _ -> synced());
        var all = new ArrayList<Application>();
        for (var i = 0; i < 20; i++) all.add(application("s" + i, "slow"));
        all.add(application("q", "quick"));
        serve(all.toArray(Application[]::new));
        all.forEach(a -> drift.want(new ApplicationId(a.getId())));

        patiently().until(() -> controlPlane.statuses("q").size() == 1);

        assertThat(controlPlane.snapshots)
                .extracting(ApplicationLiveStateSnapshot::getApplicationId)
                .containsExactly("q");
        release.countDown();
        patiently().until(() -> controlPlane.snapshots.size() == 21);
    }

    @Test
    void aPluginThatDoesNotLookIsAskedByOneApplicationAndNothingIsTold() {
        sight.eyes.put("blind", _ -> new LiveState.NotOffered());
        sight.eyes.put("fake", _ -> synced());
        serve(application("a1", "blind"));
        patiently().until(() -> sight.done.contains("a1"));

        serve(application("a1", "blind"), application("a2", "blind"), application("a3", "fake"));
        patiently().until(() -> controlPlane.statuses("a3").size() == 1);

        assertThat(sight.heads).containsExactly("a1", "a3");
        assertThat(controlPlane.statuses("a1")).isEmpty();
    }

    @Test
    void whoWantsToKnowIsToldAtOnceAlsoThatNothingChanged() {
        sight.eyes.put("fake", _ -> synced());
        serve(application("a1", "fake"));
        patiently().until(() -> sight.done.size() == 1);

        wantLater("a1");

        patiently().until(() -> controlPlane.snapshots.size() == 2);
        assertThat(sight.looks).hasSize(2);
    }

    @Test
    void manyWhoWantToKnowCauseOneLook() {
        var begun = new Semaphore(0);
        var release = new Semaphore(1);
        sight.eyes.put(
                "fake",
                _ -> {
                    begun.release();
                    release.acquire();
                    return synced();
                });
        sight.eyes.put("quick", _ -> synced());
        serve(application("a1", "fake"), application("a2", "quick"));
        patiently().until(() -> controlPlane.snapshots.size() == 2);

        wantLater("a1");
        patiently().until(() -> begun.tryAcquire(2));
        for (var i = 0; i < 100; i++) drift.want(new ApplicationId("a1"));
        release.release();
        patiently().until(() -> controlPlane.snapshots.size() == 3);
        for (var i = 0; i < 100; i++) drift.want(new ApplicationId("a1"));
        // whoever is wanted after it comes after it
        drift.want(new ApplicationId("a2"));
        patiently().until(() -> controlPlane.snapshots.size() == 4);

        assertThat(sight.looks)
                .containsExactlyInAnyOrder(
                        "fake a1 [here]", "quick a2 [here]", "fake a1 [here]", "quick a2 [here]");
    }

    @Test
    void whoWantsToKnowDoesNotWaitForAnotherPluginThatHangs() {
        var release = new CountDownLatch(1);
        sight.eyes.put(
                "slow",
                _ -> {
                    release.await();
                    return synced();
                });
        sight.eyes.put("quick", _ -> synced());
        serve(application("s", "slow"), application("q", "quick"));
        patiently().until(() -> sight.done.size() == 1);

        for (var i = 2; i < 5; i++) {
            wantLater("s");
            wantLater("q");
            var told = i;
            patiently().until(() -> sight.done.size() == told);
        }

        assertThat(controlPlane.snapshots)
                .extracting(ApplicationLiveStateSnapshot::getApplicationId)
                .containsExactly("q", "q", "q", "q");
        assertThat(sight.looks).filteredOn("slow s [here]"::equals).hasSize(1);
    }

    @Test
    void whileADeploymentGoesOnTheLiveStateIsToldAndNoDrift() {
        deploying.add(new ApplicationId("a1"));
        sight.eyes.put("fake", _ -> drifted());
        serve(application("a1", "fake"));
        patiently().until(() -> sight.done.size() == 1);
        assertThat(controlPlane.snapshots).hasSize(1);
        assertThat(controlPlane.statuses("a1")).isEmpty();

        deploying.clear();
        wantLater("a1");

        patiently().until(() -> controlPlane.statuses("a1").size() == 1);
        assertThat(controlPlane.statuses("a1")).containsExactly(ApplicationSyncStatus.OUT_OF_SYNC);
    }

    @Test
    void whatAPluginCannotTellIsUnknownAndNotEmpty() {
        sight.eyes.put(
                "broken",
                _ -> {
                    throw new Problem(
                            Problem.Code.PLUGIN_UNAVAILABLE, "plugin broken: no answer", "");
                });
        sight.eyes.put("fake", _ -> synced());
        serve(application("a1", "broken", "fake"));

        patiently().until(() -> controlPlane.statuses("a1").size() == 1);

        assertThat(controlPlane.snapshots).isEmpty();
        assertThat(controlPlane.states.getFirst().getState().getStatus())
                .isEqualTo(ApplicationSyncStatus.UNKNOWN);
        assertThat(controlPlane.states.getFirst().getState().getReason())
                .startsWith("plugin broken: no answer");
    }

    @Test
    void aControlPlaneThatWasAwayIsToldWithTheNextLook() {
        controlPlane.away(true);
        sight.eyes.put("fake", _ -> synced());
        serve(application("a1", "fake"));
        patiently().until(() -> sight.done.size() == 1);

        controlPlane.away(false);
        wantLater("a1");

        patiently().until(() -> controlPlane.statuses("a1").size() == 1);
        assertThat(controlPlane.snapshots).hasSize(1);
    }

    @Test
    void aFaultInOneLookDoesNotEndTheLooks() {
        var first = new CountDownLatch(1);
        sight.eyes.put(
                "fake",
                _ -> {
                    if (first.getCount() == 0) return synced();
                    first.countDown();
                    throw new IllegalStateException("planted");
                });
        serve(application("a1", "fake"));
        patiently().until(() -> sight.done.size() == 1);

        wantLater("a1");

        patiently().until(() -> controlPlane.statuses("a1").size() == 1);
    }

    /// When the last look is no longer fresh.
    private void wantLater(String id) {
        ahead.updateAndGet(before -> before.plusSeconds(10));
        drift.want(new ApplicationId(id));
    }

    private void serve(Application... all) {
        applications.refresh(List.of(all));
        drift.refresh();
    }

    private static LiveState synced() {
        return seen(ApplicationSyncStatus.SYNCED);
    }

    private static LiveState drifted() {
        return seen(ApplicationSyncStatus.OUT_OF_SYNC);
    }

    private static LiveState seen(ApplicationSyncStatus status) {
        return new LiveState.Seen(
                List.of(
                        ResourceState.newBuilder()
                                .setId("r1")
                                .setHealthStatus(ResourceState.HealthStatus.HEALTHY)
                                .build()),
                ApplicationSyncState.newBuilder().setStatus(status).setTimestamp(1).build());
    }

    private static Application application(String id, String... plugins) {
        var application =
                Application.newBuilder()
                        .setId(id)
                        .setName(id)
                        .setPipedId("p1")
                        .setGitPath(
                                ApplicationGitPath.newBuilder()
                                        .setRepo(
                                                ApplicationGitRepository.newBuilder()
                                                        .setId("demo")));
        for (var plugin : plugins)
            application.putDeployTargetsByPlugin(
                    plugin, DeployTargets.newBuilder().addDeployTargets("here").build());
        return application.build();
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(10));
    }
}
