// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.StageLogStore;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What stages print: taken from agents, durable before they are told so, and shown to people.
public final class StageLogs {
    private final StageLogStore files;
    private final DeploymentReports reports;
    private final Deployments deployments;
    private final Changes changes;
    private final InstantSource clock;

    public StageLogs(
            StageLogStore files,
            DeploymentReports reports,
            Deployments deployments,
            Changes changes,
            InstantSource clock) {
        this.files = files;
        this.reports = reports;
        this.deployments = deployments;
        this.changes = changes;
        this.clock = clock;
    }

    public void append(Agent agent, Place place, List<LogBlock> blocks, boolean completed) {
        var deployment = reports.own(agent, place.deployment());
        if (!files.append(place.path(), blocks, completed))
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "stage log: %s is completed (expected: no further lines)"
                            .formatted(place.stage()),
                    "Send the last lines together with the end.");
        changes.passOn(
                new Change(
                        changes.latest(),
                        agent.project(),
                        Change.Kind.STAGE_LOG,
                        deployment.getId(),
                        place.stage().value(),
                        agent.piped().value(),
                        new Change.Deed(
                                agent.name(),
                                completed ? "log completed" : "log",
                                clock.instant())));
    }

    /// Blocks of index `from` and above.
    public Part read(Caller caller, Place place, long from) {
        var _ = deployments.get(caller, place.deployment());
        return files.read(place.path(), from)
                .map(Part::of)
                .orElseThrow(() -> Ownership.notFound("stage log", place.stage().value()));
    }

    /// The same, but a log nobody has written to is empty: who follows it asks again.
    public Part follow(Caller caller, Place place, long from) {
        var deployment = deployments.get(caller, place.deployment());
        var _ = Deployments.stage(deployment, place.stage());
        return files.read(place.path(), from).map(Part::of).orElse(new Part(List.of(), false));
    }

    /// The logs of all stages that have one.
    public Map<String, Part> readAll(Caller caller, DeploymentId id) {
        var deployment = deployments.get(caller, id);
        var found = new LinkedHashMap<String, Part>();
        for (PipelineStage stage : deployment.getStagesList()) {
            var place = new Place(id, new StageId(stage.getId()), stage.getRetriedCount());
            found.put(
                    stage.getId(),
                    files.read(place.path(), 0).map(Part::of).orElse(new Part(List.of(), false)));
        }
        return found;
    }

    /// Lines of a log, and whether no more will come.
    public record Part(List<LogBlock> blocks, boolean completed) {
        public Part {
            blocks = List.copyOf(blocks);
        }

        private static Part of(StageLogStore.Part kept) {
            return new Part(kept.blocks(), kept.completed());
        }
    }

    /// Which log of a deployment.
    public record Place(DeploymentId deployment, StageId stage, int retried) {
        public Place {
            if (retried < 0)
                throw new Problem(
                        Problem.Code.REQUEST_INVALID,
                        "retried_count: %d (expected: >= 0)".formatted(retried),
                        "Count retries from 0.");
        }

        FilePath path() {
            return StageLogStore.path(deployment.value(), stage.value(), retried);
        }
    }
}
