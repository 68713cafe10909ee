// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.follow.Following;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.follow.Stages;
import dev.pipecd.cli.follow.Track;
import dev.pipecd.cli.show.LogLines;
import dev.pipecd.cli.show.OutputFormat;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.ListStageLogsResponse;
import dev.pipecd.wire.api.StageLog;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// `pipectl deployment logs`: stage after stage as they were run, or line by line as they come.
final class StageLogs {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    private final ApiConnection api;
    private final Terminal terminal;
    private final String deploymentId;

    StageLogs(ApiConnection api, Terminal terminal, String deploymentId) {
        this.api = api;
        this.terminal = terminal;
        this.deploymentId = deploymentId;
    }

    void all(OutputFormat format) {
        terminal.out().println(format.of(logs()));
    }

    void text() {
        var deployment = new Track(deploymentId).look(api);
        var logs = logs();
        for (var stage : Stages.inOrder(deployment)) {
            terminal.out().println("== " + Stages.told(stage));
            linesOf(stage, logs).forEach(terminal.out()::println);
        }
        if (deployment.getStagesCount() == 0)
            terminal.progress(
                    "Deployment %s is %s and has no stages yet."
                            .formatted(deploymentId, Printable.status(deployment.getStatus())));
    }

    /// To the deployment's end, however it ends: true when its logs were shown, which is what was
    /// asked for.
    boolean follow() throws InterruptedException {
        var tracks = List.of(new Track(deploymentId));
        var following = new Following(api, terminal, true);
        following.toTheEnd(tracks, new Patience(terminal, INTERVAL, FOR_EVER));
        following.told(tracks, FOR_EVER);
        return following.logsWhole(tracks);
    }

    private ListStageLogsResponse logs() {
        var request = ListStageLogsRequest.newBuilder().setDeploymentId(deploymentId).build();
        return api.ask(stub -> stub.listStageLogs(request));
    }

    private static Stream<String> linesOf(PipelineStage stage, ListStageLogsResponse logs) {
        return logs
                .getStageLogsOrDefault(stage.getId(), StageLog.getDefaultInstance())
                .getBlocksList()
                .stream()
                .sorted(Comparator.comparing(LogBlock::getIndex))
                .flatMap(LogLines::of);
    }
}
