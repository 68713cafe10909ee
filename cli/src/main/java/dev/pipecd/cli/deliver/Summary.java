// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.follow.Outcome;
import dev.pipecd.cli.follow.Stages;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What the CI's page shows of a delivery, in Markdown.
final class Summary {
    private Summary() {}

    static String of(List<Deployment> deployments, List<Failure> failures) {
        var lines = new ArrayList<String>();
        for (var failure : failures) {
            lines.add(
                    "### %s %s: not delivered"
                            .formatted(
                                    failure.code() == Outcome.TIME_IS_UP ? "⏳" : "❌",
                                    plain(failure.of())));
            lines.add("");
            lines.add(plain(failure.text()));
            lines.add("");
        }
        for (var deployment : deployments) {
            lines.add(
                    "### %s %s: %s"
                            .formatted(
                                    mark(deployment.getStatus()),
                                    plain(deployment.getApplicationName()),
                                    Printable.status(deployment.getStatus())));
            lines.add("");
            if (!deployment.getStatusReason().isEmpty()) {
                lines.add(plain(deployment.getStatusReason()));
                lines.add("");
            }
            lines.add(
                    "Deployment `%s`, commit `%s`%s"
                            .formatted(
                                    code(deployment.getId()),
                                    code(deployment.getTrigger().getCommit().getHash()),
                                    took(deployment.getCreatedAt(), deployment.getCompletedAt())));
            lines.add("");
            stages(deployment, lines);
        }
        return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    }

    private static void stages(Deployment deployment, List<String> lines) {
        if (deployment.getStagesCount() == 0) return;
        lines.add("| Stage | Outcome | |");
        lines.add("|---|---|---|");
        for (var stage : Stages.inOrder(deployment)) lines.add(row(deployment, stage));
        lines.add("");
    }

    private static String row(Deployment deployment, PipelineStage stage) {
        return "| %s | %s%s | %s |"
                .formatted(
                        plain(stage.getName()),
                        Printable.status(stage.getStatus()),
                        took(Stages.beganAt(deployment, stage), stage.getCompletedAt()),
                        plain(stage.getStatusReason()));
    }

    private static String took(long from, long to) {
        if (from <= 0 || to < from) return "";
        return ", "
                + Duration.ofSeconds(to - from).toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private static String mark(DeploymentStatus status) {
        return switch (status) {
            case DEPLOYMENT_SUCCESS -> "✅";
            case DEPLOYMENT_FAILURE -> "❌";
            case DEPLOYMENT_CANCELLED -> "⛔";
            default -> "⏳";
        };
    }

    /// Text from elsewhere cannot break out of its place, nor bring links, pictures or HTML.
    private static String plain(String text) {
        var safe = new StringBuilder();
        Printable.text(text)
                .codePoints()
                .limit(1_000)
                .forEach(c -> {
                    if ("\\`*_{}[]()#+-.!|<>&~@:".indexOf(c) >= 0)
                        safe.append("&#").append(c).append(';');
                    else safe.appendCodePoint(c);
                });
        return safe.toString();
    }

    private static String code(String text) {
        return Printable.text(text).replace("`", "'").replace("|", "/");
    }
}
