// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.report.Report;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentEvent.StageMoved;
import dev.pipecd.domain.deployment.Progress;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.wire.model.Deployment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What is written down of a decision before anything is done: its events, and the reports of them.
record Minutes(List<Entry> entries, List<Report> reports) {
    Minutes() {
        this(new ArrayList<>(), new ArrayList<>());
    }

    /// @param progress where the stages stand after it
    /// @param speaks whether how it ends is what is to be said of its application
    void take(
            DeploymentEvent event,
            Progress progress,
            Deployment sheet,
            PluginNotes notes,
            StageOrders orders,
            boolean speaks,
            Instant now) {
        var id = new DeploymentId(sheet.getId());
        entries.add(new Moved(id, event, now));
        if (event instanceof StageMoved(var stage, StageEvent.Started(var at, _)))
            notes.note(stage, Map.of("pipecd/started-at", at.toString()), entries, reports);
        reports.addAll(new Telling(sheet, speaks, now).of(event, progress));
        if (event instanceof StageMoved(var stage, StageEvent.Ended(var result)))
            reports.addAll(orders.settle(id, stage, result, now));
        if (event instanceof DeploymentEvent.Ended) reports.addAll(orders.close(id, now));
    }
}
