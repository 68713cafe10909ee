// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.plugin.stage.Severity;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.TargetResult;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// From how a stage ended to what the agent is told.
final class Outcomes {
    /// Stage metadata: the result of each target, as the protocol's answer has no room for it.
    static final String TARGETS = "pipecd/targets";

    private static final ObjectMapper JSON = new ObjectMapper();

    private Outcomes() {}

    static ExecuteStageResponse answer(StageOutcome outcome) {
        var status =
                switch (outcome) {
                    case StageOutcome.Succeeded _ -> StageStatus.STAGE_SUCCESS;
                    case StageOutcome.Failed _ -> StageStatus.STAGE_FAILURE;
                    case StageOutcome.Skipped _ -> StageStatus.STAGE_SKIPPED;
                    case StageOutcome.Exited _ -> StageStatus.STAGE_EXITED;
                };
        var sum = sum(outcome.targets());
        var reason = reason(outcome).orElse("");
        return answer(
                status, reason.isEmpty() || sum.isEmpty() ? reason + sum : reason + "; " + sum);
    }

    static ExecuteStageResponse answer(StageStatus status, String message) {
        return ExecuteStageResponse.newBuilder().setStatus(status).setMessage(message).build();
    }

    static Optional<String> reason(StageOutcome outcome) {
        return switch (outcome) {
            case StageOutcome.Succeeded _ -> Optional.empty();
            case StageOutcome.Failed(var reason, _) -> Optional.of(reason);
            case StageOutcome.Skipped(var reason, _) -> Optional.of(reason);
            case StageOutcome.Exited(var reason, _) -> Optional.of(reason);
        };
    }

    static Severity severity(StageOutcome outcome) {
        return switch (outcome) {
            case StageOutcome.Failed _ -> Severity.ERROR;
            case StageOutcome.Succeeded _, StageOutcome.Skipped _, StageOutcome.Exited _ ->
                    Severity.INFO;
        };
    }

    private static String sum(List<TargetResult> targets) {
        if (targets.isEmpty()) return "";
        var well =
                targets.stream()
                        .filter(target -> target.result() == TargetResult.Result.SUCCEEDED)
                        .count();
        var rest =
                targets.stream()
                        .filter(target -> target.result() != TargetResult.Result.SUCCEEDED)
                        .map(target ->
                                target.target()
                                        + " "
                                        + word(target)
                                        + " ("
                                        + target.message()
                                        + ")")
                        .collect(Collectors.joining(", "));
        return well
                + " of "
                + targets.size()
                + " targets succeeded"
                + (rest.isEmpty() ? "" : ": " + rest);
    }

    static String json(List<TargetResult> targets) {
        var list = JSON.createArrayNode();
        for (var target : targets) {
            list.addObject()
                    .put("target", target.target())
                    .put("result", word(target))
                    .put("message", target.message());
        }
        return list.toString();
    }

    private static String word(TargetResult target) {
        return target.result().name().toLowerCase(Locale.ROOT);
    }
}
