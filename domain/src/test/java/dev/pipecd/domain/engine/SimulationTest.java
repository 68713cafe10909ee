// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.DeploymentState.Finished;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.domain.deployment.StageState;
import dev.pipecd.domain.engine.SimulatedAgent.Faults;
import dev.pipecd.domain.engine.SimulatedAgent.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Thousands of seeded walks, each crashed after every single event it records. A failure prints
/// the seed; `-Dsimulation.seed=N` replays just that one.
final class SimulationTest {
    private static final int WALKS = 400;

    @Test
    void everyWalkEndsHonestlyWhateverEventItCrashesAfter() {
        var chosen = Long.getLong("simulation.seed");
        var seeds =
                chosen != null
                        ? Stream.of(chosen)
                        : IntStream.range(0, WALKS).mapToObj(i -> (long) i);
        seeds.forEach(seed -> {
            var scenario = scenario(new Random(seed));
            var calm = new SimulatedAgent(scenario, new Random(seed), List.of());
            check(seed, -1, scenario, calm, calm.run());
            for (var crash = 1; crash <= calm.journal.size(); crash++) {
                var agent = new SimulatedAgent(scenario, new Random(seed), List.of(crash));
                check(seed, crash, scenario, agent, agent.run());
            }
            var often =
                    new SimulatedAgent(
                            scenario, new Random(seed), IntStream.range(1, 40).boxed().toList());
            check(seed, 0, scenario, often, often.run());
        });
    }

    private static void check(
            long seed, int crash, Scenario scenario, SimulatedAgent agent, DeploymentState end) {
        var name =
                "seed %d, crash after event %d (replay: ./mvnw -pl domain test -Dtest=SimulationTest -DargLine=-Dsimulation.seed=%d)"
                        .formatted(seed, crash, seed);
        assertThat(end).as(name).isInstanceOf(Finished.class);
        var finished = (Finished) end;
        if (crash > 0) assertThat(agent.crashes).as(name).isEqualTo(1);

        for (var stage : finished.progress().stages().entrySet()) {
            var starts =
                    agent.journal.stream()
                            .filter(e -> e.equals(startOf(stage.getKey(), e)))
                            .count();
            assertThat(starts).as("%s: starts of %s", name, stage.getKey()).isLessThanOrEqualTo(1);
            assertThat(stage.getValue().active()).as("%s: %s", name, stage).isFalse();
            if (stage.getValue() instanceof StageState.Done(StageResult.Succeeded _))
                assertThat(agent.ran(stage.getKey()))
                        .as("%s: %s succeeded without having run", name, stage.getKey())
                        .isTrue();
        }
        switch (finished.outcome()) {
            case Outcome.Succeeded _ ->
                    assertThat(wentThrough(scenario.plan(), finished)).as(name).isTrue();
            case Outcome.RolledBack _ ->
                    assertThat(scenario.plan().rollback())
                            .as(name)
                            .isNotEmpty()
                            .allMatch(s ->
                                    finished.progress().stage(s.id())
                                                    instanceof StageState.Done(var r)
                                            && r.goesOn());
            case Outcome.Failed _,
                    Outcome.Cancelled _,
                    Outcome.TimedOut _,
                    Outcome.PartlyRolledBack _,
                    Outcome.RollbackFailed _ ->
                    assertThat(finished.outcome().told()).as(name).isNotEmpty();
            case Outcome.Superseded _, Outcome.Lost _ ->
                    throw new AssertionError(name + ": " + finished.outcome());
        }
    }

    /// Every forward stage went on, or one said that the rest is not needed.
    private static boolean wentThrough(Plan plan, Finished finished) {
        var results = plan.forward().stream().map(s -> finished.progress().stage(s.id())).toList();
        return results.stream().anyMatch(s -> s instanceof StageState.Done(StageResult.Exited _))
                || results.stream()
                        .allMatch(s -> s instanceof StageState.Done(var r) && r.goesOn());
    }

    private static DeploymentEvent startOf(StageId stage, DeploymentEvent event) {
        return event instanceof DeploymentEvent.StageMoved(var id, StageEvent.Started started)
                        && id.equals(stage)
                ? new DeploymentEvent.StageMoved(id, started)
                : new DeploymentEvent.AbortOrdered("no start");
    }

    private static Scenario scenario(Random random) {
        var stages = new ArrayList<PlannedStage>();
        var forward = 1 + random.nextInt(4);
        for (var i = 0; i < forward; i++)
            stages.add(
                    new PlannedStage(
                            new StageId("f" + i),
                            "STAGE",
                            false,
                            Duration.ofMinutes(1 + random.nextInt(20))));
        for (var i = random.nextInt(forward + 1); i < forward; i++)
            stages.add(
                    new PlannedStage(
                            new StageId("r" + i),
                            "UNDO",
                            true,
                            Duration.ofMinutes(1 + random.nextInt(20))));
        var results = new HashMap<StageId, StageResult>();
        for (var stage : stages) {
            switch (random.nextInt(8)) {
                case 0 -> results.put(stage.id(), new StageResult.Failed("exit 1"));
                case 1 -> results.put(stage.id(), new StageResult.Skipped("no change"));
                case 2 -> results.put(stage.id(), new StageResult.Exited("nothing to do"));
                default -> {}
            }
        }
        return new Scenario(
                new Plan(stages, Duration.ofMinutes(5 + random.nextInt(60)), random.nextBoolean()),
                results,
                Duration.ofSeconds(1 + random.nextInt(90)),
                random.nextInt(3),
                random.nextInt(60),
                Observation.RollbackWish.values()[random.nextInt(3)],
                new Faults(
                        random.nextInt(5) == 0, random.nextInt(20) == 0, random.nextInt(6) == 0));
    }
}
