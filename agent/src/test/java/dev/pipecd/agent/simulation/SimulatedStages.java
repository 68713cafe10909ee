// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.plugin.BeginMarks;
import dev.pipecd.agent.plugin.Leave;
import dev.pipecd.agent.run.Planning;
import dev.pipecd.agent.run.Stages;
import dev.pipecd.agent.simulation.Scenario.Kind;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/// Plugins as one machine has them, and what they do to the targets. Outlive the agent, except for
/// the calls that were under way.
final class SimulatedStages implements Stages, Planning {
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    /// After these its plugin does not come back.
    private static final int MOST_CRASHES = 2;

    /// Turns of the machine in which everybody who can go on does.
    private static final int MANY_TURNS = 80;

    private final Scenario scenario;
    private final SimulatedMachine machine;
    private final BiFunction<DeploymentId, StageId, List<?>> approvals;
    private final Recorded recorded;
    private final Map<String, Work> works = new LinkedHashMap<>();
    private final Map<String, Integer> refused = new HashMap<>();
    private final Map<String, Integer> crashes = new HashMap<>();
    private final Set<String> underWay = new HashSet<>();
    private final Set<String> stopping = new HashSet<>();

    /// Since which turn of the machine the agent has an approval of a stage, and the stage waits.
    private final Map<String, Integer> approved = new HashMap<>();

    private final Map<String, Integer> waiting = new HashMap<>();

    /// What must never be.
    final List<String> violations = new ArrayList<>();

    /// What must not be as far as the journal knows: not where it was lost, nor where another agent
    /// has gone on with what it tells of.
    final List<String> contradictions = new ArrayList<>();

    /// Who began something forward that was not his to begin.
    final List<String> trespasses = new ArrayList<>();

    private final Disk disk;
    private final BooleanSupplier alone;

    /// @param alone whether this agent, and no other, may go forward now
    /// @param approvals the orders given for a stage
    SimulatedStages(
            Scenario scenario,
            SimulatedMachine machine,
            Disk disk,
            BooleanSupplier alone,
            BiFunction<DeploymentId, StageId, List<?>> approvals,
            Recorded recorded) {
        this.scenario = scenario;
        this.machine = machine;
        this.disk = disk;
        this.alone = alone;
        this.approvals = approvals;
        this.recorded = recorded;
    }

    /// What stages and planning read and write on the machine.
    record Disk(Path home, SimulatedGit.Mirror mirror, ApplicationFiles files) {
        void require(Deployment deployment) {
            mirror.reach(deployment.getTrigger().getCommit().getHash());
        }

        void readFile(Deployment deployment) {
            var _ =
                    files.read(
                            deployment.getGitPath(), deployment.getTrigger().getCommit().getHash());
        }

        Path mark(PipelineStage stage) {
            return home.resolve("begun-" + stage.getId());
        }
    }

    /// What the journal has.
    interface Recorded {
        boolean started(StageId stage);

        boolean ended(StageId stage);

        boolean ended(DeploymentId deployment);
    }

    /// What a stage did to its target, whether anybody watches or not.
    private static final class Work {
        private final String application;
        private final String deployment;
        private final Duration end;
        private final boolean begun;
        private final boolean lied;
        private boolean stopped;

        private Work(Deployment of, Duration end, boolean begun, boolean lied) {
            this.application = of.getApplicationId();
            this.deployment = of.getId();
            this.end = end;
            this.begun = begun;
            this.lied = lied;
        }

        private boolean alive(Duration now) {
            return begun && !stopped && now.compareTo(end) < 0;
        }
    }

    void agentIsGone() {
        underWay.clear();
        approved.clear();
        waiting.clear();
    }

    /// The agent was given an approval of a stage.
    void approved(String stage) {
        approved.putIfAbsent(stage, machine.turns());
    }

    boolean ran(StageId stage) {
        var work = works.get(stage.value());
        return work != null && work.begun;
    }

    @Override
    public Planned plan(Deployment pending) throws InterruptedException {
        var intended = scenario.deployment(pending.getId());
        machine.sleep(Duration.ofSeconds(2));
        disk.readFile(pending);
        return switch (intended.planned()) {
            case WELL -> intended.made(pending);
            case NOT -> throw problem(Problem.Code.STAGE_UNKNOWN, "stage: \"WIAT\"");
            case BROKEN -> throw new IllegalStateException("a fault of the planner");
            case NEVER -> {
                machine.sleep(FOR_EVER);
                throw new IllegalStateException("the end of the world");
            }
        };
    }

    private static Problem problem(Problem.Code code, String what) {
        return new Problem(code, what, "");
    }

    @Override
    public Optional<String> unneeded(Deployment deployment, PipelineStage stage) {
        if (scenario.conduct(stage.getId()).kind() != Kind.UNNEEDED) return Optional.empty();
        disk.require(deployment);
        return Optional.of("only docs changed");
    }

    @Override
    public StageResult run(Deployment deployment, PipelineStage stage, Leave leave)
            throws InterruptedException {
        var id = stage.getId();
        if (!underWay.add(id)) violations.add(id + " is called twice at once");
        if (recorded.ended(new StageId(id))) contradictions.add(id + " is called after its end");
        try {
            disk.require(deployment);
            leave.await();
            if (scenario.conduct(id).kind() == Kind.FORGETS)
                BeginMarks.make(disk.mark(stage), stage.getName(), "public");
            return follow(deployment, stage, work(deployment, stage));
        } finally {
            underWay.remove(id);
        }
    }

    /// Begun at most once, by whoever comes first: as a plugin keeps it.
    private Work work(Deployment deployment, PipelineStage stage) {
        var known = works.get(stage.getId());
        var forgets = scenario.conduct(stage.getId()).kind() == Kind.FORGETS;
        if (known != null && !(forgets && known.begun)) return known;
        if (known != null) violations.add(stage.getId() + " is begun twice");
        var id = new StageId(stage.getId());
        if (!stage.getRollback() && !alone.getAsBoolean()) trespasses.add(id.value());
        if (!recorded.started(id)) violations.add(id + " is begun and not recorded");
        if (recorded.ended(new DeploymentId(deployment.getId())))
            contradictions.add(id + " is begun after all is over");
        works.forEach((other, work) -> {
            if (meets(work, deployment))
                violations.add("%s meets what is left of %s".formatted(id, other));
        });
        var conduct = scenario.conduct(id.value());
        var length =
                conduct.kind() == Kind.HANGS || conduct.kind() == Kind.WAITS_FOR_APPROVAL
                        ? FOR_EVER
                        : conduct.length();
        var work =
                new Work(
                        deployment,
                        machine.uptime().plus(length),
                        true,
                        conduct.kind() == Kind.LIES);
        works.put(id.value(), work);
        return work;
    }

    /// What a deployment that is over could not stop is nobody's any more, and of a liar nothing is
    /// known.
    private boolean meets(Work left, Deployment deployment) {
        return left.alive(machine.uptime())
                && !left.lied
                && left.application.equals(deployment.getApplicationId())
                && !recorded.ended(new DeploymentId(left.deployment));
    }

    private StageResult follow(Deployment deployment, PipelineStage stage, Work work)
            throws InterruptedException {
        var conduct = scenario.conduct(stage.getId());
        switch (conduct.kind()) {
            case HONEST, HANGS, UNNEEDED, FORGETS -> until(work);
            case LIES -> machine.sleep(Duration.ofSeconds(1));
            case CRASHES -> {
                machine.sleep(conduct.length().dividedBy(2));
                if (crashes.merge(stage.getId(), 1, Integer::sum) > MOST_CRASHES)
                    throw problem(Problem.Code.PLUGIN_UNAVAILABLE, "plugin: gone in mid stage");
                return follow(deployment, stage, work(deployment, stage));
            }
            case BREAKS -> {
                machine.sleep(conduct.length().dividedBy(2));
                throw new IllegalStateException("a fault in the middle");
            }
            case WAITS_FOR_APPROVAL -> {
                var id = new DeploymentId(deployment.getId());
                waiting.put(stage.getId(), machine.turns());
                var _ =
                        machine.await(
                                () ->
                                        work.stopped
                                                || !approvals
                                                        .apply(id, new StageId(stage.getId()))
                                                        .isEmpty(),
                                FOR_EVER);
                waiting.remove(stage.getId());
                if (!work.stopped) {
                    works.put(stage.getId(), new Work(deployment, Duration.ZERO, true, false));
                    return new StageResult.Succeeded();
                }
            }
        }
        return work.stopped && !work.lied ? new StageResult.Failed("stopped") : conduct.result();
    }

    private void until(Work work) throws InterruptedException {
        var _ = machine.await(() -> work.stopped, work.end.minus(machine.uptime()));
    }

    @Override
    public void stop(Deployment deployment, PipelineStage stage, String reason)
            throws InterruptedException {
        var conduct = scenario.conduct(stage.getId());
        if (stopping.add(stage.getId())) requireHeard(stage.getId());
        machine.sleep(Duration.ofSeconds(1));
        if (refused.merge(stage.getId(), 1, Integer::sum) <= conduct.stopsRefused())
            throw problem(Problem.Code.PLUGIN_UNAVAILABLE, "plugin: away");
        works.computeIfAbsent(stage.getId(), _ -> new Work(deployment, Duration.ZERO, false, false))
                        .stopped =
                true;
    }

    /// An approval that came long before the stop has reached who waits for it.
    private void requireHeard(String stage) {
        var since =
                Math.max(
                        approved.getOrDefault(stage, Integer.MAX_VALUE),
                        waiting.getOrDefault(stage, Integer.MAX_VALUE));
        if (since != Integer.MAX_VALUE && machine.turns() - since > MANY_TURNS)
            violations.add(stage + " was approved and waits on");
    }

    @Override
    public void release(Deployment deployment) {}

    @Override
    public void keep(Set<DeploymentId> unfinished) {}
}
