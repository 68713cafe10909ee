// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.Progress;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The public document of a deployment: its sheet, what was noted down, and where its stages stand.
final class Document {
    private static final Logger log = LoggerFactory.getLogger(Document.class);

    private final Notes notes = new Notes();
    private volatile Deployment sheet;

    Document(Deployment sheet) {
        this.sheet = sheet;
        notes.take(sheet);
    }

    /// As the journal last tells of it.
    static Optional<Deployment> found(List<Entry> story) {
        Optional<Deployment> latest = Optional.empty();
        for (var entry : story) {
            if (entry instanceof Sheet(_, var document)) {
                try {
                    latest = Optional.of(Deployment.parseFrom(document));
                } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                    log.error(
                            "journal: a sheet cannot be read; the deployment is left to the control plane",
                            e);
                }
            }
        }
        return latest;
    }

    /// Of each application the one that succeeded last, as the journal tells.
    static Collection<Deployment> lastSucceeded(Collection<List<Entry>> stories) {
        var last = new HashMap<String, Deployment>();
        stories.stream()
                .filter(story -> succeeded(story).isPresent())
                .sorted(Comparator.comparing(story -> succeeded(story).orElseThrow()))
                .flatMap(story -> found(story).stream())
                .forEach(sheet -> last.put(sheet.getApplicationId(), sheet));
        return last.values();
    }

    private static Optional<Instant> succeeded(List<Entry> story) {
        return story.stream().flatMap(entry -> Ledger.succeeded(entry).stream()).findFirst();
    }

    Deployment sheet() {
        return sheet;
    }

    Notes notes() {
        return notes;
    }

    void planned(Deployment planned) {
        sheet = planned;
        notes.take(planned);
    }

    /// As plugins see it.
    Deployment at(Progress progress) {
        var now = sheet.toBuilder().clearStages();
        for (var stage : sheet.getStagesList())
            now.addStages(stage(new StageId(stage.getId()), progress));
        return now.build();
    }

    PipelineStage stage(StageId id, Progress progress) {
        var planned =
                sheet.getStagesList().stream()
                        .filter(s -> s.getId().equals(id.value()))
                        .findFirst()
                        .orElseThrow(() ->
                                new IllegalStateException(
                                        "stage %s is not on the sheet of %s"
                                                .formatted(id, sheet.getId())));
        var where = progress.stages().get(id);
        var builder = planned.toBuilder().putAllMetadata(notes.all(Notes.stage(id)));
        if (where != null) builder.setStatus(Telling.status(where));
        return builder.build();
    }
}
