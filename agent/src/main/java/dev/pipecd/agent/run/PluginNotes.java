// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.JournalClosed;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.LogBlock;
import java.util.List;
import java.util.Map;

/// Records what is told of a deployment while its stages run: notes and log lines.
final class PluginNotes {
    /// Of one stage or plugin: each report carries all of it.
    private static final int MOST = 1 << 20;

    private final DeploymentId id;
    private final Notes notes;
    private final Outbox outbox;

    PluginNotes(DeploymentId id, Notes notes, Outbox outbox) {
        this.id = id;
        this.notes = notes;
        this.outbox = outbox;
    }

    /// One at a time: each report carries all notes, and one that overtook a later one would undo
    /// it.
    void note(StageId stage, Map<String, String> values) {
        synchronized (notes) {
            var noted = new Noted(id, Notes.stage(stage), values);
            keep(noted, Reports.stageMetadata(id, stage, notes.with(noted)));
        }
    }

    void note(String plugin, Map<String, String> values) {
        synchronized (notes) {
            var noted = new Noted(id, Notes.plugin(plugin), values);
            keep(noted, Reports.pluginMetadata(id, plugin, notes.with(noted)));
        }
    }

    /// What no message could carry would never be known at the control plane.
    private void keep(Noted noted, Report report) {
        var size = report.body().length;
        if (size > MOST)
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "metadata of %s: %d bytes in all (expected: at most %d)"
                            .formatted(noted.scope(), size, MOST),
                    "Keep less there; what is long belongs into the log.");
        record(List.of(noted), List.of(report));
        notes.put(noted);
    }

    /// To be recorded by the caller.
    void note(
            StageId stage, Map<String, String> values, List<Entry> entries, List<Report> reports) {
        var noted = new Noted(id, Notes.stage(stage), values);
        entries.add(noted);
        reports.add(Reports.stageMetadata(id, stage, notes.put(noted)));
    }

    void logs(StageId stage, int retried, List<LogBlock> blocks, boolean completed) {
        if (blocks.isEmpty() && !completed) return;
        record(List.of(), List.of(Reports.logs(id, stage, retried, blocks, completed)));
    }

    /// A plugin comes again and again: what waits for the disk must not pile up.
    private void record(List<Entry> entries, List<Report> reports) {
        try {
            if (outbox.trouble().isEmpty()) {
                outbox.record(entries, reports);
                return;
            }
        } catch (JournalClosed stopped) {
            // The agent stops; the next one is asked again.
        }
        throw new Problem(
                Problem.Code.STORE_UNAVAILABLE, "the agent's journal cannot be written now", "");
    }
}
