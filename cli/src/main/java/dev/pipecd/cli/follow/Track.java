// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// One deployment as it was last seen, and what was already told of it.
public final class Track {
    private static final Set<DeploymentStatus> FINAL =
            Set.of(
                    DeploymentStatus.DEPLOYMENT_SUCCESS,
                    DeploymentStatus.DEPLOYMENT_FAILURE,
                    DeploymentStatus.DEPLOYMENT_CANCELLED);
    private static final int STAGES_SHOWN = 12;

    private final String id;
    private final Map<String, String> told = new HashMap<>();
    private Deployment seen;
    private boolean unseen = true;

    public Track(String id) {
        this.id = id;
        this.seen = Deployment.newBuilder().setId(id).build();
    }

    public Deployment look(ApiConnection api) {
        var request = GetDeploymentRequest.newBuilder().setDeploymentId(id).build();
        seen = api.ask(stub -> stub.getDeployment(request)).getDeployment();
        unseen = false;
        return seen;
    }

    /// As it was last seen.
    public Deployment deployment() {
        return seen;
    }

    boolean unseen() {
        return unseen;
    }

    public boolean over() {
        return FINAL.contains(seen.getStatus());
    }

    /// What has changed since this was asked last, a line each.
    List<String> news() {
        var lines = new ArrayList<String>();
        news("", "Deployment " + id + " is " + Printable.status(seen.getStatus()), lines);
        for (var stage : seen.getStagesList()) {
            if (!Stages.begun(stage)) continue;
            var name = Printable.text(stage.getName());
            news(
                    stage.getId(),
                    "  stage "
                            + name
                            + " is "
                            + Printable.status(stage.getStatus())
                            + Stages.because(stage.getStatusReason()),
                    lines);
            if (Stages.waits(stage))
                news(stage.getId() + " waits", "  stage " + name + " " + plea(stage), lines);
        }
        return lines;
    }

    private void news(String of, String line, List<String> lines) {
        if (!line.equals(told.put(of, line))) lines.add(line);
    }

    /// Nothing waits silently.
    private String plea(PipelineStage stage) {
        return "waits for approval: `pipectl deployment approve --deployment-id %s --stage-id %s`"
                .formatted(id, stage.getId());
    }

    /// How it stands, for a view that is redrawn.
    List<String> view(Instant now) {
        var lines = new ArrayList<String>();
        lines.add(
                "%s  %s  %s  %s"
                        .formatted(
                                Printable.text(seen.getApplicationName()),
                                id,
                                Printable.status(seen.getStatus()),
                                took(seen.getCreatedAt(), seen.getCompletedAt(), now)));
        var stages = Stages.inOrder(seen);
        var width = stages.stream().mapToInt(stage -> stage.getName().length()).max().orElse(0);
        var first = firstShown(stages);
        if (first > 0) lines.add("  … %d stages before".formatted(first));
        stages.stream()
                .skip(first)
                .limit(STAGES_SHOWN)
                .map(stage -> line(stage, width, now))
                .forEach(lines::add);
        var after = stages.size() - first - STAGES_SHOWN;
        if (after > 0) lines.add("  … %d stages after".formatted(after));
        return lines;
    }

    /// So that the stage at work is always among those shown.
    private static int firstShown(List<PipelineStage> stages) {
        var last = 0;
        for (var i = 0; i < stages.size(); i++) if (Stages.begun(stages.get(i))) last = i;
        return Math.clamp(last - STAGES_SHOWN + 2L, 0, Math.max(0, stages.size() - STAGES_SHOWN));
    }

    private String line(PipelineStage stage, int width, Instant now) {
        var name = Printable.text(stage.getName());
        var state = Printable.status(stage.getStatus());
        var time =
                Stages.begun(stage)
                        ? "  " + took(Stages.beganAt(seen, stage), stage.getCompletedAt(), now)
                        : "";
        var more =
                Stages.waits(stage) ? " " + plea(stage) : Stages.because(stage.getStatusReason());
        return "  "
                + mark(stage.getStatus())
                + " "
                + padded(name, width)
                + "  "
                + state
                + time
                + more;
    }

    private static String mark(StageStatus status) {
        return switch (status) {
            case STAGE_NOT_STARTED_YET, UNRECOGNIZED -> "[ ]";
            case STAGE_RUNNING -> "[>]";
            case STAGE_SUCCESS, STAGE_SKIPPED, STAGE_EXITED -> "[+]";
            case STAGE_FAILURE -> "[!]";
            case STAGE_CANCELLED -> "[-]";
        };
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /// From one second of the epoch to another, or to now when it is not over.
    static String took(long from, long to, Instant now) {
        if (from <= 0) return "";
        var end = to > 0 ? to : now.getEpochSecond();
        return Look.told(Duration.ofSeconds(Math.max(0, end - from)));
    }
}
