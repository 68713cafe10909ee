// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.task;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.ListStageLogsRequest;
import dev.pipecd.wire.api.ListStageLogsResponse;
import dev.pipecd.wire.api.StageLog;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.LogSeverity;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// `pipectl deployment logs`: stage after stage as they were run, or line by line as they come.
public final class StageLogs {
    private static final Duration FOLLOW_INTERVAL = Duration.ofSeconds(1);
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    private final ApiConnection api;
    private final Terminal terminal;
    private final String deploymentId;
    private final Map<String, Set<Long>> shown = new HashMap<>();
    private String heading = "";

    public StageLogs(ApiConnection api, Terminal terminal, String deploymentId) {
        this.api = api;
        this.terminal = terminal;
        this.deploymentId = deploymentId;
    }

    public void json() {
        var logs = api.ask(stub -> stub.listStageLogs(logsOfIt()));
        terminal.out().println(Json.of(logs));
    }

    public void text() {
        var deployment = api.ask(stub -> stub.getDeployment(it())).getDeployment();
        var logs = api.ask(stub -> stub.listStageLogs(logsOfIt()));
        for (var stage : stagesOf(deployment)) {
            terminal.out().println("== " + told(stage));
            linesOf(stage, logs).forEach(this::print);
        }
        if (deployment.getStagesCount() == 0)
            terminal.progress(
                    "Deployment %s is %s and has no stages yet."
                            .formatted(deploymentId, Printable.status(deployment.getStatus())));
    }

    public void follow() throws InterruptedException {
        var patience = new Patience(terminal, FOLLOW_INTERVAL, FOR_EVER);
        var look = new Look(api, terminal);
        do {
            // Read before the logs: what is written after the deployment's end is then still seen.
            var deployment =
                    look.at(stub -> stub.getDeployment(it())).map(answer -> answer.getDeployment());
            var logs = look.at(stub -> stub.listStageLogs(logsOfIt()));
            if (deployment.isEmpty() || logs.isEmpty()) continue;
            if (printNews(deployment.get(), logs.get())) patience.somethingChanged();
            if (DeploymentWait.over(deployment.get())) {
                terminal.progress(
                        "Deployment %s ended as %s."
                                .formatted(
                                        deploymentId,
                                        Printable.status(deployment.get().getStatus())));
                return;
            }
        } while (patience.pause());
    }

    private boolean printNews(Deployment deployment, ListStageLogsResponse logs) {
        var any = false;
        for (var stage : stagesOf(deployment)) {
            var seen = shown.computeIfAbsent(stage.getId(), _ -> new HashSet<>());
            for (var line : linesOf(stage, logs)) {
                if (!seen.add(line.getIndex())) continue;
                underHeadingOf(stage);
                print(line);
                any = true;
            }
        }
        terminal.out().flush();
        return any;
    }

    private void underHeadingOf(PipelineStage stage) {
        if (heading.equals(stage.getId())) return;
        heading = stage.getId();
        terminal.out().println("== " + Printable.text(stage.getName()));
    }

    private static List<PipelineStage> stagesOf(Deployment deployment) {
        return deployment.getStagesList().stream()
                .sorted(
                        Comparator.comparing(PipelineStage::getRollback)
                                .thenComparing(PipelineStage::getIndex))
                .toList();
    }

    private static String told(PipelineStage stage) {
        var reason =
                stage.getStatusReason().isEmpty()
                        ? ""
                        : " (" + Printable.text(stage.getStatusReason()) + ")";
        return Printable.text(stage.getName())
                + ": "
                + Printable.status(stage.getStatus())
                + reason;
    }

    private static List<LogBlock> linesOf(PipelineStage stage, ListStageLogsResponse logs) {
        return logs
                .getStageLogsOrDefault(stage.getId(), StageLog.getDefaultInstance())
                .getBlocksList()
                .stream()
                .sorted(Comparator.comparing(LogBlock::getIndex))
                .toList();
    }

    private void print(LogBlock block) {
        var mark = block.getSeverity() == LogSeverity.ERROR ? " ERROR " : " ";
        block.getLog()
                .lines()
                .forEach(line ->
                        terminal.out()
                                .println(
                                        Printable.time(block.getCreatedAt())
                                                + mark
                                                + Printable.logLine(line)));
    }

    private GetDeploymentRequest it() {
        return GetDeploymentRequest.newBuilder().setDeploymentId(deploymentId).build();
    }

    private ListStageLogsRequest logsOfIt() {
        return ListStageLogsRequest.newBuilder().setDeploymentId(deploymentId).build();
    }
}
