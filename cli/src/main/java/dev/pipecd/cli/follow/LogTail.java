// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.LogLines;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.StageLog;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The logs of one deployment as they grow. From our control plane only what is new is fetched;
/// another one sends all of it each time.
final class LogTail {
    private record Place(String stage, int retried) {
        static Place of(PipelineStage stage) {
            return new Place(stage.getId(), stage.getRetriedCount());
        }
    }

    private final String name;
    private final Map<Place, Long> next = new HashMap<>();
    private final Set<Place> complete = new HashSet<>();
    private boolean byPart = true;
    private String heading = "";

    /// The name stands before each stage's, where several deployments are followed.
    LogTail(String name) {
        this.name = name;
    }

    /// Adds the lines nobody has seen yet, each stage's under its heading. Where a call fails,
    /// those of the stages before have been added and count as seen.
    void read(ApiConnection api, Deployment deployment, List<String> lines) {
        var begun =
                Stages.inOrder(deployment).stream()
                        .filter(stage -> Stages.begun(stage) && !complete.contains(Place.of(stage)))
                        .toList();
        if (byPart) {
            for (var stage : begun) {
                var part = part(api, deployment.getId(), stage);
                if (!byPart) break;
                addNews(stage, part, lines);
            }
        }
        if (!byPart) {
            var all = all(api, deployment.getId());
            for (var stage : begun)
                addNews(
                        stage,
                        all.getOrDefault(stage.getId(), StageLog.getDefaultInstance()),
                        lines);
        }
    }

    private StageLog part(ApiConnection api, String deployment, PipelineStage stage) {
        var request =
                GetStageLogRequest.newBuilder()
                        .setDeploymentId(deployment)
                        .setStageId(stage.getId())
                        .setRetriedCount(stage.getRetriedCount())
                        .setOffsetIndex(next.getOrDefault(Place.of(stage), 0L))
                        .build();
        var answer = api.askOurs(stub -> stub.getStageLog(request));
        byPart = answer.isPresent();
        return answer.map(part ->
                        StageLog.newBuilder()
                                .addAllBlocks(part.getBlocksList())
                                .setCompleted(part.getCompleted())
                                .build())
                .orElse(StageLog.getDefaultInstance());
    }

    private static Map<String, StageLog> all(ApiConnection api, String deployment) {
        var request = ListStageLogsRequest.newBuilder().setDeploymentId(deployment).build();
        return api.ask(stub -> stub.listStageLogs(request)).getStageLogsMap();
    }

    private void addNews(PipelineStage stage, StageLog log, List<String> lines) {
        var place = Place.of(stage);
        var from = next.getOrDefault(place, 0L);
        var blocks =
                log.getBlocksList().stream()
                        .filter(block -> block.getIndex() >= from)
                        .sorted(Comparator.comparing(LogBlock::getIndex))
                        .toList();
        if (log.getCompleted()) complete.add(place);
        if (blocks.isEmpty()) return;
        next.put(place, blocks.getLast().getIndex() + 1);
        if (!heading.equals(stage.getId())) {
            heading = stage.getId();
            lines.add("== " + name + Printable.text(stage.getName()));
        }
        blocks.forEach(block -> LogLines.of(block).forEach(lines::add));
    }
}
