// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Cause;
import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.domain.deployment.Plan.PlannedStage;
import dev.pipecd.wire.model.Deployment;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// What the public document has no field for and another agent must know to go on with a deployment
/// when the journal is gone: whether it is rolled back by itself, how long it may take, and why it
/// is being stopped. They stand beside the other marks.
public final class WalkMarks {
    private static final String AUTO_ROLLBACK = "pipecd/auto-rollback";
    private static final String LIMIT = "pipecd/limit";
    private static final String STAGE_LIMITS = "pipecd/stage-limits";
    private static final String STOPPED_FOR = "pipecd/stopped-for";
    private static final String ROLLS_BACK = "pipecd/rolls-back";
    private static final String ROLLBACK_STOPPED_FOR = "pipecd/rollback-stopped-for";

    /// What a file that says nothing means. Such a plan, which most are, needs no marks.
    private static final Duration USUAL_LIMIT = Duration.ofHours(6);

    private WalkMarks() {}

    /// Empty for a plan that is understood without them.
    public static Map<String, String> of(Plan plan) {
        var marks = new LinkedHashMap<String, String>();
        if (!plan.autoRollback()) marks.put(AUTO_ROLLBACK, "false");
        if (!plan.limit().equals(USUAL_LIMIT)) marks.put(LIMIT, plan.limit().toString());
        if (plan.stages().stream().anyMatch(s -> !s.limit().equals(USUAL_LIMIT)))
            marks.put(
                    STAGE_LIMITS,
                    plan.stages().stream()
                            .map(s -> s.limit().toString())
                            .collect(Collectors.joining(" ")));
        return marks;
    }

    /// The plan as it was made, of a deployment that was planned.
    public static Plan plan(Deployment found) {
        var limits =
                List.of(Marks.of(found, STAGE_LIMITS).orElse("").split(" ", -1)).stream()
                        .map(WalkMarks::limit)
                        .toList();
        var known = limits.size() == found.getStagesCount();
        var stages = new ArrayList<PlannedStage>();
        for (var stage : found.getStagesList())
            stages.add(
                    new PlannedStage(
                            new StageId(stage.getId()),
                            stage.getName(),
                            stage.getRollback(),
                            known ? limits.get(stages.size()) : USUAL_LIMIT));
        return new Plan(
                stages,
                limit(Marks.of(found, LIMIT).orElse("")),
                !Marks.of(found, AUTO_ROLLBACK).equals(Optional.of("false")));
    }

    /// Another version may have written it: what cannot be read must not keep the deployment from
    /// going on.
    private static Duration limit(String written) {
        try {
            var limit = Duration.parse(written);
            return limit.isPositive() ? limit : USUAL_LIMIT;
        } catch (DateTimeParseException e) {
            return USUAL_LIMIT;
        }
    }

    public static Map<String, String> of(Halt halt) {
        return Map.of(
                STOPPED_FOR, written(halt.cause()), ROLLS_BACK, Boolean.toString(halt.rollBack()));
    }

    public static Optional<Halt> halt(Deployment found) {
        var rollBack = Marks.of(found, ROLLS_BACK).equals(Optional.of("true"));
        return cause(found, STOPPED_FOR).map(cause -> new Halt(cause, rollBack));
    }

    public static Map<String, String> rollbackStopped(Cause why) {
        return Map.of(ROLLBACK_STOPPED_FOR, written(why));
    }

    public static Optional<Cause> rollbackStopped(Deployment found) {
        return cause(found, ROLLBACK_STOPPED_FOR);
    }

    private static String written(Cause cause) {
        return switch (cause) {
            case Cause.StageFailed(var reason) -> "failed " + reason;
            case Cause.CancelledBy(var person) -> "cancelled " + person;
            case Cause.TooLong(var reason) -> "timed-out " + reason;
        };
    }

    private static Optional<Cause> cause(Deployment found, String mark) {
        var parts = Marks.of(found, mark).orElse("").split(" ", 2);
        if (parts.length < 2) return Optional.empty();
        return switch (parts[0]) {
            case "failed" -> Optional.of(new Cause.StageFailed(parts[1]));
            case "cancelled" -> Optional.of(new Cause.CancelledBy(parts[1]));
            case "timed-out" -> Optional.of(new Cause.TooLong(parts[1]));
            default -> Optional.empty();
        };
    }

    /// That no further forward stage starts.
    public record Halt(Cause cause, boolean rollBack) {}
}
