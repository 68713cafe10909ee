// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.run.Planning;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/// What is pushed and ordered in one run, and how each plugin behaves: drawn by chance before it
/// begins, or before it is asked for.
final class Scenario {
    private static final String ALONE =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: %s
              trigger: {onChain: {disabled: %s}, onOutOfSync: {disabled: %s, minWindow: 1m}}
              planner: {newestOnly: %s}
            """;
    private static final String CHAINED =
            """
              postSync: {chain: {applications: [%s]}}
            """;

    private final long seed;

    /// By their names, which are their ids and folders too.
    final Map<String, String> files = new LinkedHashMap<>();

    final Queue<SimulatedGit.Change> pushes = new ArrayDeque<>();
    int syncs;
    private final Map<String, Intended> deployments = new HashMap<>();
    private final Map<String, Conduct> stages = new HashMap<>();

    Scenario(long seed) {
        this.seed = seed;
        var random = new SplittableRandom(seed);
        var count = random.nextInt(8) == 0 ? 4 + random.nextInt(5) : 1 + random.nextInt(3);
        for (var n = 0; n < count; n++) files.put("app" + n, file(n, count, random));
        for (var n = random.nextInt(5); n > 0; n--) pushes.add(change(random));
        this.syncs = random.nextInt(3);
    }

    /// The first of several sometimes begins a chain, and not each of the others follows.
    private static String file(int n, int count, RandomGenerator random) {
        var text =
                ALONE.formatted(
                        "app" + n,
                        random.nextInt(4) == 0,
                        random.nextBoolean(),
                        random.nextInt(3) == 0);
        if (n > 0 || count == 1 || random.nextInt(3) > 0) return text;
        var links = new ArrayList<String>();
        for (var next = 1; next < count; next++) links.add("{name: app%d}".formatted(next));
        return text + CHAINED.formatted(String.join(", ", links));
    }

    private SimulatedGit.Change change(RandomGenerator random) {
        var folders = some(files.keySet(), 3, random);
        return new SimulatedGit.Change(folders, some(folders, 8, random));
    }

    /// One of so many.
    private static Set<String> some(Set<String> all, int of, RandomGenerator random) {
        var some = new LinkedHashSet<String>();
        for (var name : all) if (random.nextInt(of) == 0) some.add(name);
        return some;
    }

    Intended deployment(String id) {
        return deployments.computeIfAbsent(id, this::drawn);
    }

    private Intended drawn(String id) {
        var random = new SplittableRandom(31 * seed + id.hashCode());
        var planned = new ArrayList<PlannedStage>();
        var forward = 1 + random.nextInt(3);
        for (var i = 0; i < forward; i++) planned.add(stage(id + "-f" + i, false, random));
        for (var i = random.nextInt(forward + 1); i < forward; i++)
            planned.add(stage(id + "-r" + i, true, random));
        planned.forEach(s -> stages.put(s.id().value(), Conduct.drawn(random)));
        var plan = new Plan(planned, minutes(5 + random.nextInt(60)), random.nextInt(4) > 0);
        return new Intended(plan, Planned.drawn(random));
    }

    private static PlannedStage stage(String id, boolean rollback, RandomGenerator random) {
        return new PlannedStage(
                new StageId(id),
                rollback ? "UNDO" : "DO",
                rollback,
                minutes(1 + random.nextInt(20)));
    }

    private static Duration minutes(int n) {
        return Duration.ofMinutes(n);
    }

    Conduct conduct(String stage) {
        return stages.getOrDefault(stage, Conduct.HONEST);
    }

    record Intended(Plan plan, Planned planned) {
        Planning.Planned made(Deployment pending) {
            var sheet = pending.toBuilder();
            for (var stage : plan.stages())
                sheet.addStages(
                        PipelineStage.newBuilder()
                                .setId(stage.id().value())
                                .setName(stage.name())
                                .setRollback(stage.rollback()));
            return new Planning.Planned(plan, sheet.build());
        }
    }

    /// How planning goes.
    enum Planned {
        WELL,
        NOT,
        NEVER,
        BROKEN;

        static Planned drawn(RandomGenerator random) {
            return switch (random.nextInt(20)) {
                case 0 -> NOT;
                case 1 -> NEVER;
                case 2 -> BROKEN;
                default -> WELL;
            };
        }
    }

    /// How the plugin of a stage behaves.
    enum Kind {
        HONEST,
        HANGS,
        /// Says that it is done, or stopped, and is not.
        LIES,
        /// Is gone before it has said how the stage ended, and again when it is called again; what
        /// it began goes on.
        CRASHES,
        /// Runs into a fault of the agent.
        BREAKS,
        /// Begins anew each time it is called, as a public plugin's script.
        FORGETS,
        WAITS_FOR_APPROVAL,
        UNNEEDED
    }

    /// @param holds how often the gate says: not yet
    /// @param stopsRefused how often a stop is not confirmed
    record Conduct(Kind kind, Duration length, StageResult result, int holds, int stopsRefused) {
        static final Conduct HONEST =
                new Conduct(Kind.HONEST, Duration.ofSeconds(10), new StageResult.Succeeded(), 0, 0);

        static Conduct drawn(RandomGenerator random) {
            var kind =
                    random.nextInt(3) > 0
                            ? Kind.HONEST
                            : Kind.values()[random.nextInt(Kind.values().length)];
            var result =
                    switch (random.nextInt(10)) {
                        case 0, 1 -> new StageResult.Failed("exit 1");
                        case 2 -> new StageResult.Skipped("no change");
                        case 3 -> new StageResult.Exited("nothing to do");
                        default -> new StageResult.Succeeded();
                    };
            var refused =
                    switch (random.nextInt(8)) {
                        case 0 -> Integer.MAX_VALUE;
                        case 1 -> 3;
                        default -> 0;
                    };
            return new Conduct(
                    kind,
                    Duration.ofSeconds(1 + random.nextInt(120)),
                    result,
                    random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0,
                    refused);
        }
    }
}
