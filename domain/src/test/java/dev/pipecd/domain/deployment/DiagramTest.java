// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/// Walks every state × event pair and keeps `docs/reference/deployment-states.md` equal to the
/// code. `-Dpages.write=true` writes the page.
final class DiagramTest {
    private static final Instant T = Instant.parse("2026-01-01T00:00:00Z");
    private static final StageId FORWARD = new StageId("forward");
    private static final StageId UNDO = new StageId("undo");
    private static final Plan PLAN =
            new Plan(
                    List.of(
                            new PlannedStage(FORWARD, "SCRIPT_RUN", false, Duration.ofHours(1)),
                            new PlannedStage(
                                    UNDO, "SCRIPT_RUN_ROLLBACK", true, Duration.ofHours(1))),
                    Duration.ofHours(6),
                    true);
    private static final Cause CAUSE = new Cause.StageFailed("exit 1");
    private static final Cause STOPPED = new Cause.CancelledBy("ann");
    private static final Path PAGE = Path.of("../docs/reference/deployment-states.md");

    @Test
    void everyArrowOfTheCodeIsOnThePageAndNoOther() throws Exception {
        var page = page();

        if (Boolean.getBoolean("pages.write")) Files.writeString(PAGE, page);

        assertThat(PAGE).as("-Dpages.write=true writes %s", PAGE).hasContent(page);
    }

    @Test
    void everyPairIsAnArrowOrIsRefusedAndARefusalChangesNothing() {
        for (var from : deploymentStates()) {
            for (var event : deploymentEvents()) {
                var before = from.toString();
                try {
                    assertThat(from.on(event)).isNotNull();
                } catch (IllegalTransition refused) {
                    assertThat(refused).hasMessageContaining("(expected: an arrow of the diagram)");
                }
                assertThat(from.toString()).isEqualTo(before);
            }
        }
    }

    @Test
    void aFinishedDeploymentRefusesEveryEventExceptACorrectionOfLost() {
        var succeeded = new DeploymentState.Finished(new Outcome.Succeeded(), Progress.of(PLAN));
        for (var event : deploymentEvents()) {
            assertThatThrownBy(() -> succeeded.on(event)).isInstanceOf(IllegalTransition.class);
        }

        var lost =
                new DeploymentState.Finished(
                        new Outcome.Lost("silent for a day"), Progress.of(PLAN));
        assertThat(lost.on(new DeploymentEvent.Ended(new Outcome.Succeeded())))
                .isEqualTo(
                        new DeploymentState.Finished(new Outcome.Succeeded(), Progress.of(PLAN)));
    }

    @Test
    void everyStateHasAWayOut() {
        for (var from : deploymentStates()) {
            if (from.finished()) continue;
            assertThat(deploymentEvents().stream().anyMatch(e -> accepts(from, e)))
                    .as("an exit of %s", from)
                    .isTrue();
        }
        for (var from : stageStates()) {
            if (from.ended()) continue;
            assertThat(stageEvents().stream().anyMatch(e -> accepts(from, e)))
                    .as("an exit of %s", from)
                    .isTrue();
        }
    }

    @Test
    void aStageThatNeverStartedCannotSucceed() {
        assertThatThrownBy(() ->
                        new StageState.NotStarted()
                                .on(new StageEvent.Ended(new StageResult.Succeeded())))
                .isInstanceOf(IllegalTransition.class)
                .hasMessage("event: Ended in state NotStarted (expected: an arrow of the diagram)");
    }

    private static String page() {
        var text =
                new StringBuilder(
                        """
                        # Where a deployment and its stages may stand

                        Written from the code by `DiagramTest`; what has no arrow here is refused on both sides of the wire. The server takes a
                        little more from [public agents](../guides/move-from-public.md#what-public-agents-report), whose stages may end beside a rollback.

                        ## Deployment

                        """);
        text.append(arrows(deploymentStates(), deploymentEvents(), DeploymentState::on));
        text.append("\n## Stage\n\n");
        text.append(arrows(stageStates(), stageEvents(), StageState::on));
        text.append(
                """

                ## On the wire

                | State | Public status |
                |---|---|
                | Pending | DEPLOYMENT_PENDING |
                | Planned | DEPLOYMENT_PLANNED |
                | Running, Halting | DEPLOYMENT_RUNNING |
                | RollingBack, AbortingRollback | DEPLOYMENT_ROLLING_BACK |
                | Stage NotStarted, Waiting (with the reason) | STAGE_NOT_STARTED_YET |
                | Stage Running, Stopping | STAGE_RUNNING |

                | Outcome | Public status | `status_reason` |
                |---|---|---|
                """);
        for (var outcome : outcomes()) {
            text.append(
                    "| %s | DEPLOYMENT_%s | %s |\n"
                            .formatted(
                                    outcome.getClass().getSimpleName(),
                                    outcome.status(),
                                    outcome.told()));
        }
        text.append(
                "\nThe outcome's name is also in `metadata_v2.shared` under `pipecd/outcome`.\n");
        return text.toString();
    }

    private static <S, E> String arrows(List<S> states, List<E> events, BiFunction<S, E, S> on) {
        var arrows = new TreeSet<>(Comparator.<String>naturalOrder());
        for (var from : states) {
            for (var event : events) {
                try {
                    var to = on.apply(from, event);
                    arrows.add("| %s | %s | %s |".formatted(name(from), name(event), name(to)));
                } catch (IllegalTransition refused) {
                    // no arrow
                }
            }
        }
        return "| From | Event | To |\n|---|---|---|\n" + String.join("\n", arrows) + "\n";
    }

    private static String name(Object o) {
        return switch (o) {
            case DeploymentState.Finished(var outcome, _) ->
                    "Finished(" + outcome.getClass().getSimpleName() + ")";
            case StageState.Done(var result) -> "Done(" + result.getClass().getSimpleName() + ")";
            case DeploymentEvent.Ended(var outcome) ->
                    "Ended(" + outcome.getClass().getSimpleName() + ")";
            case StageEvent.Ended(var result) -> "Ended(" + result.getClass().getSimpleName() + ")";
            case DeploymentEvent.StageMoved(var stage, _) ->
                    stage.equals(UNDO) ? "StageMoved(rollback)" : "StageMoved(forward)";
            default -> o.getClass().getSimpleName();
        };
    }

    private static boolean accepts(DeploymentState from, DeploymentEvent event) {
        try {
            from.on(event);
            return true;
        } catch (IllegalTransition refused) {
            return false;
        }
    }

    private static boolean accepts(StageState from, StageEvent event) {
        try {
            from.on(event);
            return true;
        } catch (IllegalTransition refused) {
            return false;
        }
    }

    private static List<DeploymentState> deploymentStates() {
        var idle = Progress.of(PLAN);
        var busy = idle.on(FORWARD, new StageEvent.Started(T, T.plusSeconds(60)));
        var states =
                new ArrayList<DeploymentState>(
                        List.of(
                                new DeploymentState.Pending(),
                                new DeploymentState.Planned(PLAN),
                                new DeploymentState.Running(PLAN, idle, T),
                                new DeploymentState.Running(PLAN, busy, T),
                                new DeploymentState.Halting(PLAN, idle, CAUSE, true),
                                new DeploymentState.Halting(PLAN, busy, CAUSE, true),
                                new DeploymentState.RollingBack(PLAN, idle, CAUSE, T),
                                new DeploymentState.AbortingRollback(
                                        PLAN,
                                        idle.on(UNDO, new StageEvent.Started(T, T.plusSeconds(60))),
                                        CAUSE,
                                        STOPPED),
                                new DeploymentState.AbortingRollback(PLAN, idle, CAUSE, STOPPED)));
        outcomes().forEach(o -> states.add(new DeploymentState.Finished(o, idle)));
        return states;
    }

    private static List<DeploymentEvent> deploymentEvents() {
        var events =
                new ArrayList<DeploymentEvent>(
                        List.of(
                                new DeploymentEvent.PlanMade(PLAN),
                                new DeploymentEvent.Began(T, T.plusSeconds(60)),
                                new DeploymentEvent.HaltOrdered(CAUSE, false),
                                new DeploymentEvent.RollbackBegan(CAUSE, T),
                                new DeploymentEvent.AbortOrdered(STOPPED),
                                new DeploymentEvent.ClockMoved(Duration.ofHours(1))));
        for (var stage : List.of(FORWARD, UNDO)) {
            stageEvents().forEach(e -> events.add(new DeploymentEvent.StageMoved(stage, e)));
        }
        outcomes().forEach(o -> events.add(new DeploymentEvent.Ended(o)));
        return events;
    }

    private static List<StageState> stageStates() {
        var states =
                new ArrayList<StageState>(
                        List.of(
                                new StageState.NotStarted(),
                                new StageState.Waiting("frozen", T),
                                new StageState.Running(T, T),
                                new StageState.Stopping(T, CAUSE, T)));
        results().forEach(r -> states.add(new StageState.Done(r)));
        return states;
    }

    private static List<StageEvent> stageEvents() {
        var events =
                new ArrayList<StageEvent>(
                        List.of(
                                new StageEvent.HeldBack("frozen", T),
                                new StageEvent.Started(T, T.plusSeconds(60)),
                                new StageEvent.StopOrdered(CAUSE, T.plusSeconds(15))));
        results().forEach(r -> events.add(new StageEvent.Ended(r)));
        return events;
    }

    private static List<StageResult> results() {
        return List.of(
                new StageResult.Succeeded(),
                new StageResult.Failed("exit 1"),
                new StageResult.TimedOut("too long"),
                new StageResult.Cancelled("ann"),
                new StageResult.Skipped("no change"),
                new StageResult.Exited("nothing to do"));
    }

    private static List<Outcome> outcomes() {
        return List.of(
                new Outcome.Succeeded(),
                new Outcome.RolledBack(CAUSE),
                new Outcome.PartlyRolledBack(CAUSE, List.of("SCRIPT_RUN_ROLLBACK")),
                new Outcome.RollbackFailed(CAUSE, "exit 2"),
                new Outcome.Failed("exit 1"),
                new Outcome.Cancelled("ann"),
                new Outcome.TimedOut("took longer than 6h"),
                new Outcome.Superseded("a newer commit"),
                new Outcome.Lost("its agent was silent for a day"));
    }
}
