// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.preview;

import dev.pipecd.cli.preview.Previews.Answers;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import java.util.ArrayList;
import java.util.List;

/// A plan preview for people.
final class PreviewText {
    private PreviewText() {}

    static List<String> lines(Answers answers) {
        var lines = new ArrayList<String>();
        answers.planned().forEach(each -> planned(each, lines));
        for (var each : answers.failed()) {
            lines.add(heading(each) + ": cannot be planned");
            lines.add("  reason: " + Printable.text(each.getError()));
            // What the tool wrote before it failed, which is mostly the cause.
            results(each, lines);
        }
        for (var each : answers.agents()) {
            lines.add(
                    "Agent %s (%s) gave no plan"
                            .formatted(
                                    Printable.text(each.getPipedName()),
                                    Printable.text(each.getPipedId())));
            lines.add("  reason: " + Printable.text(each.getError()));
        }
        if (lines.isEmpty()) lines.add("No application is touched.");
        return lines;
    }

    private static void planned(ApplicationPlanPreviewResult result, List<String> lines) {
        var change = result.getNoChange() ? "nothing changes" : result.getSyncStrategy().name();
        lines.add(heading(result) + ": " + change);
        if (!PreviewJson.summary(result).isEmpty())
            lines.add("  " + Printable.text(PreviewJson.summary(result).strip()));
        results(result, lines);
    }

    private static void results(ApplicationPlanPreviewResult result, List<String> lines) {
        details(PreviewJson.details(result), lines);
        for (var plugin : result.getPluginPlanResultsList()) {
            var target = plugin.getDeployTarget();
            lines.add(
                    "  %s%s: %s"
                            .formatted(
                                    Printable.text(plugin.getPluginName()),
                                    target.isEmpty() ? "" : "(" + Printable.text(target) + ")",
                                    Printable.text(
                                            plugin.getPlanSummary().toStringUtf8().strip())));
            details(plugin.getPlanDetails().toStringUtf8(), lines);
        }
    }

    private static String heading(ApplicationPlanPreviewResult result) {
        var env = result.getLabelsOrDefault("env", "");
        return "Application "
                + Printable.text(result.getApplicationName())
                + (env.isEmpty() ? "" : " (env: " + Printable.text(env) + ")");
    }

    private static void details(String details, List<String> lines) {
        details.lines().map(line -> "    " + Printable.logLine(line)).forEach(lines::add);
    }
}
