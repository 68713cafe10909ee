// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// What people ordered about stages (approve, skip). Plugins read it; it is settled when the stage
/// has ended.
final class StageOrders {
    private final Map<String, Command> waiting = new LinkedHashMap<>();
    private final Set<String> over = new HashSet<>();
    private boolean closed;

    /// False when the stage has ended: nobody would read the order any more.
    synchronized boolean add(Command command) {
        if (closed || over.contains(command.getStageId())) return false;
        waiting.put(command.getId(), command);
        notifyAll();
        return true;
    }

    synchronized List<Command> of(StageId stage) {
        return waiting.values().stream().filter(c -> c.getStageId().equals(stage.value())).toList();
    }

    /// As soon as there is one that was not seen; at the latest after `longest`.
    synchronized List<Command> await(StageId stage, Set<String> seen, Duration longest)
            throws InterruptedException {
        var until = System.nanoTime() + longest.toNanos();
        while (of(stage).stream().allMatch(command -> seen.contains(command.getId()))) {
            var left = until - System.nanoTime();
            if (left <= 0) break;
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return of(stage);
    }

    synchronized List<Report> settle(
            DeploymentId deployment, StageId stage, StageResult result, Instant now) {
        over.add(stage.value());
        return answer(deployment, of(stage), result.goesOn() ? "" : refusal(result), now);
    }

    /// What was restored after a lost disk has no reason any more.
    private static String refusal(StageResult result) {
        return result.told().isEmpty() ? "the stage did not succeed" : result.told();
    }

    /// The deployment has ended: stages that were never begun answer nobody.
    synchronized List<Report> close(DeploymentId deployment, Instant now) {
        closed = true;
        return answer(deployment, List.copyOf(waiting.values()), "the deployment is over", now);
    }

    /// @param refusal empty when what was ordered has come true
    private List<Report> answer(
            DeploymentId deployment, List<Command> commands, String refusal, Instant now) {
        var reports = new ArrayList<Report>();
        for (var command : commands) {
            waiting.remove(command.getId());
            reports.add(
                    Reports.handled(
                            Ledger.lane(deployment),
                            new CommandId(command.getId()),
                            refusal.isEmpty()
                                    ? CommandStatus.COMMAND_SUCCEEDED
                                    : CommandStatus.COMMAND_FAILED,
                            refusal.isEmpty() ? Map.of() : Map.of("Reason", refusal),
                            now));
        }
        return reports;
    }
}
