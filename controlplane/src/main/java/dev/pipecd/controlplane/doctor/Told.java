// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.controlplane.doctor.Finding.State;
import java.util.Locale;

/// An examination as people and programs read it.
public final class Told {
    private static final String ROW = "%-12s %-8s %s%n";

    private Told() {}

    /// A line a check, and below it what to do.
    public static String table(Examination examination) {
        var text = new StringBuilder(ROW.formatted("CHECK", "STATE", "FOUND"));
        for (var result : examination.results()) {
            var finding = result.finding();
            text.append(
                    ROW.formatted(result.name(), word(finding.state()), folded(finding.found())));
            if (!finding.advice().isEmpty())
                text.append(ROW.formatted("", "", "-> " + folded(finding.advice())));
        }
        return text.append(summary(examination)).append("\n").toString();
    }

    /// Further lines stay in their column.
    private static String folded(String text) {
        return text.strip().replace("\n", "\n" + " ".repeat(22));
    }

    private static String word(State state) {
        return switch (state) {
            case OK -> "ok";
            case WARNING -> "warning";
            case FAILED -> "FAILED";
            case SKIPPED -> "skipped";
        };
    }

    private static String summary(Examination examination) {
        var failed = examination.count(State.FAILED);
        var warnings = examination.count(State.WARNING);
        if (failed > 0)
            return "%d of %d checks failed; a server would not start or not serve."
                    .formatted(failed, examination.results().size());
        return warnings > 0
                ? "Ready, with %d warning(s).".formatted(warnings)
                : "Ready: nothing is wrong.";
    }

    public static String json(Examination examination) {
        var told = new ObjectMapper().createObjectNode();
        told.put("failed", examination.count(State.FAILED));
        told.put("warnings", examination.count(State.WARNING));
        var checks = told.putArray("checks");
        for (var result : examination.results())
            checks.addObject()
                    .put("check", result.name())
                    .put("state", result.finding().state().name().toLowerCase(Locale.ROOT))
                    .put("found", result.finding().found())
                    .put("advice", result.finding().advice())
                    .put("milliseconds", result.took().toMillis());
        return told.toPrettyString() + "\n";
    }
}
