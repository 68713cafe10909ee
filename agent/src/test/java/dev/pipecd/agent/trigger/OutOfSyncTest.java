// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is deployed again because what runs is not what was deployed.
final class OutOfSyncTest {
    private static final String ON_OUT_OF_SYNC = "  trigger: {onOutOfSync: {disabled: false}}\n";

    @TempDir Path directory;

    private TriggerStand at;

    @BeforeEach
    void start() throws Exception {
        at = TriggerStand.open(directory);
    }

    @AfterEach
    void stop() throws Exception {
        at.close();
    }

    @Test
    void anApplicationOutOfSyncIsDeployedAgainOnceItsWindowIsOver() {
        var deployed = deployOutOfSync();

        at.ahead = Duration.ofMinutes(4);
        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened).hasSize(1);
        at.ahead = Duration.ofMinutes(6);
        at.trigger.look(TriggerStand.DEMO);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(2);
        assertThat(at.opened.getLast().getTrigger().getStrategySummary())
                .isEqualTo("the application was out of sync");
        assertThat(at.opened.getLast().getId()).isNotEqualTo(deployed.getId());
    }

    @Test
    void aStateThatIsOlderThanTheLastDeploymentDeploysNothing() {
        var deployed = deployOutOfSync();
        var later = deployed.toBuilder().setCompletedAt(deployed.getCompletedAt() + 60).build();
        at.ended.put(deployed.getId(), later);

        at.ahead = Duration.ofMinutes(10);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(1);
    }

    @Test
    void whatFailedDoesNotComeBackByItself() {
        at.remote
                .write("site/app.pipecd.yaml", TriggerStand.VALID + ON_OUT_OF_SYNC)
                .commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        at.applications.refresh(List.of(outOfSync()));

        at.ahead = Duration.ofHours(1);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(1);
    }

    @Test
    void withoutTheWishAnApplicationStaysOutOfSync() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        succeed(at.opened.getFirst());
        at.applications.refresh(List.of(outOfSync()));

        at.ahead = Duration.ofHours(1);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(1);
    }

    @Test
    void aQuietRepositoryCostsNoFileAndNoQuestionForThoseOutOfSync() {
        for (var file :
                List.of(TriggerStand.VALID + ON_OUT_OF_SYNC, TriggerStand.VALID, "kind: [")) {
            at.remote.write("site/app.pipecd.yaml", file).commit("Write it so");
            at.trigger.look(TriggerStand.DEMO);
            succeed(at.opened.getLast());
            at.applications.refresh(List.of(outOfSync()));
            at.trigger.look(TriggerStand.DEMO);
            at.history.looked.set(0);
            at.asked.clear();

            at.trigger.look(TriggerStand.DEMO);
            at.trigger.look(TriggerStand.DEMO);

            assertThat(at.history.looked).hasValue(0);
            assertThat(at.asked).isEmpty();
        }
        assertThat(at.opened).hasSize(3);
    }

    @Test
    void aWishThatIsWrittenLaterCounts() {
        at.remote.write("site/app.pipecd.yaml", TriggerStand.VALID).commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        succeed(at.opened.getFirst());
        at.applications.refresh(List.of(outOfSync()));
        at.trigger.look(TriggerStand.DEMO);
        at.remote
                .write(
                        "site/app.pipecd.yaml",
                        TriggerStand.VALID
                                + "  trigger: {onCommit: {disabled: true}, onOutOfSync: {disabled: false}}\n")
                .commit("Wish for it");

        at.ahead = Duration.ofMinutes(6);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(2);
        assertThat(at.opened.getLast().getTrigger().getStrategySummary())
                .isEqualTo("the application was out of sync");
    }

    @Test
    void aFileThatCouldNotBeReadForAMomentIsReadAtTheNextLook() {
        deployOutOfSync();
        at.ahead = Duration.ofMinutes(6);
        at.history.failing.set(1);

        at.trigger.look(TriggerStand.DEMO);
        assertThat(at.opened).hasSize(1);
        at.trigger.look(TriggerStand.DEMO);

        assertThat(at.opened).hasSize(2);
    }

    private Deployment deployOutOfSync() {
        at.remote
                .write("site/app.pipecd.yaml", TriggerStand.VALID + ON_OUT_OF_SYNC)
                .commit("Add the site");
        at.trigger.look(TriggerStand.DEMO);
        var deployed = succeed(at.opened.getFirst());
        at.applications.refresh(List.of(outOfSync()));
        return deployed;
    }

    private Deployment succeed(Deployment deployment) {
        at.applications.succeeded(deployment);
        var over =
                deployment.toBuilder()
                        .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                        .setCompletedAt(deployment.getCreatedAt())
                        .build();
        at.ended.put(over.getId(), over);
        return over;
    }

    private static Application outOfSync() {
        return TriggerStand.application("site").toBuilder()
                .setSyncState(
                        ApplicationSyncState.newBuilder()
                                .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                                .setTimestamp(InstantSource.system().instant().getEpochSecond()))
                .build();
    }
}
