// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static dev.pipecd.agent.run.Samples.deployment;
import static dev.pipecd.agent.run.Samples.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// After a lost disk: applications that are shown as deploying and are not.
final class LeftDeployingTest {
    @TempDir Path directory;

    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private final ScriptedStages stages = new ScriptedStages();
    private Ledger ledger;
    private Outbox outbox;
    private Runs runs;

    @BeforeEach
    void start() throws Exception {
        ledger = Ledger.open(directory);
        outbox = new Outbox(ledger, controlPlane, InstantSource.system());
        runs =
                new Runs(
                        outbox,
                        Samples::planning,
                        Gate.OPEN,
                        stages,
                        InstantSource.system(),
                        _ -> {},
                        _ -> {});
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void oneWhoseLastDeploymentSucceededIsToldToBeOverAndSynced() {
        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_SUCCESS)));

        assertThat(told()).containsExactly("deploying: false", "SYNCED");
        assertThat(controlPlane.states.getFirst().getHeadDeploymentId()).isEqualTo("d1");
    }

    @Test
    void oneWhoseLastDeploymentFailedIsToldToBeOverAndOutOfSync() {
        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_FAILURE)));

        assertThat(told()).containsExactly("deploying: false", "OUT_OF_SYNC");
        assertThat(controlPlane.states.getFirst().getReason()).isEqualTo("as it was");
    }

    @Test
    void oneWhoseLastDeploymentIsForgottenIsToldToBeOver() {
        tellOver(List.of(), Optional.empty());

        assertThat(told()).containsExactly("deploying: false");
    }

    @Test
    void oneWithADeploymentThatGoesOnThereIsLeftAlone() {
        tellOver(List.of(lost("d1")), Optional.empty());

        assertThat(told()).isEmpty();
    }

    @Test
    void oneThatAnotherAgentDeploysIsLeftAlone() {
        tellOver(List.of(), Optional.of(lost("d1")));

        assertThat(told()).isEmpty();
    }

    @Test
    void oneThatIsDeployedHereIsLeftAlone() {
        runs.open(deployment("d2", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> stages.running("d2-check"));

        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_SUCCESS)));

        assertThat(told()).containsExactly("deploying: true", "DEPLOYING");
    }

    @Test
    void oneThatCannotBeAskedAboutDoesNotKeepTheOthersFromIt() {
        runs.tellOver(
                () -> Stream.of(application("d1"), application("d2")),
                List.of(),
                id -> {
                    if (id.value().equals("d1"))
                        throw new Problem(Problem.Code.PERMISSION_DENIED, "not yours", "");
                    return Optional.empty();
                });

        assertThat(told()).containsExactly("deploying: false");
    }

    @Test
    void onceTheControlPlaneHasToldWhatGoesOnItIsOver() {
        runs.reconcile(List.of(), _ -> Optional.empty(), _ -> {});

        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_SUCCESS)));

        assertThat(told()).isEmpty();
    }

    @Test
    void oneThatCouldNotBeAskedAboutIsAskedAboutAgain() {
        runs.tellOver(
                () -> Stream.of(application("d1")),
                List.of(),
                _ -> {
                    throw new Problem(Problem.Code.CONTROL_PLANE_UNREACHABLE, "away", "");
                });
        runs.reconcile(List.of(), _ -> Optional.empty(), _ -> {});

        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_SUCCESS)));
        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_SUCCESS)));

        assertThat(told()).containsExactly("deploying: false", "SYNCED");
    }

    @Test
    void oneThatCouldNotBeAskedAboutAndIsDeployedSinceTellsOfItself() {
        runs.tellOver(
                () -> Stream.of(application("d1")),
                List.of(),
                _ -> {
                    throw new Problem(Problem.Code.CONTROL_PLANE_UNREACHABLE, "away", "");
                });
        runs.reconcile(List.of(), _ -> Optional.empty(), _ -> {});
        stages.finish("d2-check", new StageResult.Succeeded());
        stages.finish("d2-publish", new StageResult.Succeeded());
        runs.open(deployment("d2", "app"), List.of());
        await().atMost(Duration.ofMinutes(1)).until(() -> runs.active() == 0);

        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_FAILURE)));

        assertThat(told())
                .containsExactly("deploying: true", "DEPLOYING", "deploying: false", "SYNCED");
    }

    @Test
    void oneWhoseEndIsNotKnownThereYetIsToldWhenItIs() throws Exception {
        var id = new DeploymentId("d1");
        runs.takeUp(
                Map.of(
                        id,
                        List.of(
                                new Entry.Sheet(id, lost("d1").toByteArray()),
                                new Entry.Moved(
                                        id,
                                        new DeploymentEvent.Ended(new Outcome.Lost("given up")),
                                        Instant.EPOCH))));
        tellOver(List.of(lost("d1")), Optional.empty());
        runs.reconcile(List.of(lost("d1")), _ -> Optional.empty(), _ -> {});
        assertThat(told()).isEmpty();

        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_FAILURE)));

        assertThat(told()).containsExactly("deploying: false", "OUT_OF_SYNC");
    }

    @Test
    void whatItsFileWasFoundToBeIsToldWithTheEnd() {
        tellOver(
                List.of(),
                Optional.of(marked(DeploymentStatus.DEPLOYMENT_FAILURE, Marks.UNREADABLE, "true")));
        assertThat(told()).containsExactly("deploying: false", "INVALID_CONFIG");

        tellOver(
                List.of(),
                Optional.of(
                        marked(
                                DeploymentStatus.DEPLOYMENT_SUCCESS,
                                Marks.WARNINGS,
                                "no such key")));
        assertThat(told()).endsWith("SYNCED");
        assertThat(controlPlane.states.getLast().getReason()).isEqualTo("no such key");
    }

    @Test
    void oneOfWhichSomethingWaitsToBeToldIsLeftAlone() {
        controlPlane.away = true;
        outbox.send(
                Reports.syncState(
                        new ApplicationId("app"),
                        Reports.syncState(
                                ApplicationSyncStatus.INVALID_CONFIG,
                                "",
                                "",
                                "d1",
                                Instant.EPOCH)));

        tellOver(List.of(), Optional.of(ended(DeploymentStatus.DEPLOYMENT_FAILURE)));

        controlPlane.away = false;
        assertThat(told()).containsExactly("INVALID_CONFIG");
    }

    private static Deployment marked(DeploymentStatus status, String mark, String text) {
        var ended = ended(status).toBuilder();
        ended.getMetadataV2Builder().getSharedBuilder().putKeyValues(mark, text);
        return ended.build();
    }

    private void tellOver(List<Deployment> unfinished, Optional<Deployment> last) {
        runs.tellOver(() -> Stream.of(application("d1")), unfinished, _ -> last);
    }

    private List<String> told() {
        await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        return controlPlane.ofApplications;
    }

    private static Deployment ended(DeploymentStatus status) {
        return lost("d1").toBuilder()
                .setStatus(status)
                .setStatusReason("as it was")
                .setCompletedAt(1_800_000_000)
                .build();
    }

    private static Application application(String last) {
        return Application.newBuilder()
                .setId(lost("d1").getApplicationId())
                .setDeploying(true)
                .setSyncState(
                        ApplicationSyncState.newBuilder()
                                .setStatus(ApplicationSyncStatus.DEPLOYING))
                .setMostRecentlyTriggeredDeployment(
                        ApplicationDeploymentReference.newBuilder().setDeploymentId(last))
                .build();
    }
}
