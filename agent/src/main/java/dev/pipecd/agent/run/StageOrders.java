// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What people ordered about stages (approve, skip). Plugins read it; it is settled when the stage
/// has ended.
final class StageOrders {
    private final Map<String, Command> waiting = new LinkedHashMap<>();

    synchronized void add(Command command) {
        waiting.put(command.getId(), command);
    }

    synchronized List<Command> of(StageId stage) {
        return waiting.values().stream().filter(c -> c.getStageId().equals(stage.value())).toList();
    }

    synchronized List<Report> settle(DeploymentId deployment, StageId stage, Instant now) {
        var reports = new ArrayList<Report>();
        for (var command : of(stage)) {
            waiting.remove(command.getId());
            reports.add(
                    Reports.handled(
                            Ledger.lane(deployment),
                            new CommandId(command.getId()),
                            CommandStatus.COMMAND_SUCCEEDED,
                            Map.of(),
                            now));
        }
        return reports;
    }
}
