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
import dev.pipecd.wire.model.LogSeverity;
import dev.pipecd.wire.model.PipelineStage;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What stages print: taken from agents, durable before they are told so, and shown to people.
public final class StageLogs {
    /// Clients take 4 MiB at once, and what is told beside the lines needs room too.
    private static final long LARGEST_ANSWER = 3_500_000;

    private static final String ROLLBACK = "ROLLBACK";

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

    /// The logs of all stages, as much of them as one answer takes: a long one ends with a line
    /// that says so, and tells truly whether more will come.
    public Map<String, Part> readAll(Caller caller, DeploymentId id) {
        var deployment = deployments.get(caller, id);
        var found = new LinkedHashMap<Place, Part>();
        for (PipelineStage stage : deployment.getStagesList()) {
            var place = new Place(id, new StageId(stage.getId()), stage.getRetriedCount());
            var part = kept(place);
            var neverRan = part.isEmpty() && stage.getName().equals(ROLLBACK);
            if (!neverRan) found.put(place, part.orElse(new Part(List.of(), false)));
        }
        var share = share(found.values().stream().mapToLong(Part::size).sorted().toArray());
        var told = new LinkedHashMap<String, Part>();
        found.forEach((place, part) -> told.put(place.stage().value(), whole(place, part, share)));
        return told;
    }

    /// Nothing also where the stage's id cannot be the name of a file: it does not hide the others.
    private Optional<Part> kept(Place place) {
        try {
            return files.read(place.path(), 0).map(Part::of);
        } catch (Problem problem) {
            if (problem.code() != Problem.Code.REQUEST_INVALID) throw problem;
            return Optional.empty();
        }
    }

    /// Each as much as the longest may have if all the shorter ones are told whole.
    private static long share(long[] shortestFirst) {
        var left = LARGEST_ANSWER;
        for (var i = 0; i < shortestFirst.length; i++) {
            var share = left / (shortestFirst.length - i);
            if (shortestFirst[i] > share) return share;
            left -= shortestFirst[i];
        }
        return LARGEST_ANSWER;
    }

    private Part whole(Place place, Part part, long share) {
        if (part.blocks().isEmpty()) return part;
        var shown = part.cutTo(share);
        var next = shown.getLast().getIndex() + 1;
        if (part.completed() && shown.size() == part.blocks().size()) return part;
        var rest = files.read(place.path(), next).map(Part::of).orElse(new Part(List.of(), false));
        if (rest.blocks().isEmpty()) return new Part(shown, rest.completed());
        var ended = files.read(place.path(), Long.MAX_VALUE).filter(StageLogStore.Part::completed);
        return new Part(
                Stream.concat(shown.stream(), Stream.of(cut(place, shown.getLast()))).toList(),
                ended.isPresent());
    }

    private static LogBlock cut(Place place, LogBlock last) {
        return last.toBuilder()
                .setIndex(last.getIndex() + 1)
                .setSeverity(LogSeverity.INFO)
                .setLog(
                        "(cut: the logs are longer than one answer. All of it: `pipectl deployment"
                                + " logs --deployment-id %s --follow`, or the deployment's page)"
                                        .formatted(place.deployment()))
                .build();
    }

    /// Lines of a log, and whether no more will come.
    public record Part(List<LogBlock> blocks, boolean completed) {
        public Part {
            blocks = List.copyOf(blocks);
        }

        private long size() {
            return blocks.stream().mapToLong(Part::size).sum();
        }

        /// With what stands around it in an answer.
        private static long size(LogBlock block) {
            return block.getSerializedSize() + 8;
        }

        /// At least one of them.
        private List<LogBlock> cutTo(long share) {
            var bytes = 0L;
            for (var i = 0; i < blocks.size(); i++) {
                bytes += size(blocks.get(i));
                if (bytes > share && i > 0) return blocks.subList(0, i);
            }
            return blocks;
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
