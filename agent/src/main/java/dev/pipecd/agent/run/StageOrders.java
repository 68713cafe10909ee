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
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What people ordered about stages (approve, skip). Plugins read it; it is settled when the stage
/// has ended.
final class StageOrders {
    private final Map<String, Command> waiting = new LinkedHashMap<>();
    private final Set<String> over = new HashSet<>();

    /// False when the stage has ended: nobody would read the order any more.
    synchronized boolean add(Command command) {
        if (over.contains(command.getStageId())) return false;
        waiting.put(command.getId(), command);
        return true;
    }

    synchronized List<Command> of(StageId stage) {
        return waiting.values().stream().filter(c -> c.getStageId().equals(stage.value())).toList();
    }

    synchronized List<Report> settle(
            DeploymentId deployment, StageId stage, StageResult result, Instant now) {
        over.add(stage.value());
        var reports = new ArrayList<Report>();
        for (var command : of(stage)) {
            waiting.remove(command.getId());
            reports.add(
                    Reports.handled(
                            Ledger.lane(deployment),
                            new CommandId(command.getId()),
                            result.goesOn()
                                    ? CommandStatus.COMMAND_SUCCEEDED
                                    : CommandStatus.COMMAND_FAILED,
                            result.goesOn() ? Map.of() : Map.of("Reason", result.told()),
                            now));
        }
        return reports;
    }
}
