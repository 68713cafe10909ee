// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.controlplane.server.Exposition;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.store.JournalTable;
import dev.pipecd.domain.ProjectId;
import java.util.Map;
import java.util.stream.Collectors;

/// What Prometheus is told of a whole installation: this process, how many applications there are,
/// and what each living agent reported of itself.
final class Scrape {
    private static final String COMPONENT = "pipecd_component";

    private Scrape() {}

    /// @param component what this process is
    static byte[] text(String component, Metrics own, Features features) {
        var all = new Exposition();
        all.add(new String(own.text(), UTF_8), Map.of(COMPONENT, component));
        journal(all, component, new JournalTable(features.stores().database()).backlog());
        for (var project : features.projects().all()) applications(all, features, project.getId());
        features.pipeds()
                .heartbeats()
                .metrics()
                .forEach((piped, text) ->
                        features.pipeds()
                                .owner(piped)
                                .ifPresent(project ->
                                        all.add(
                                                new String(text, UTF_8),
                                                Map.of(
                                                        COMPONENT,
                                                        "piped",
                                                        "piped",
                                                        piped.value(),
                                                        "project",
                                                        project.value()))));
        return all.text();
    }

    /// What grows while the bucket is away.
    private static void journal(Exposition all, String component, JournalTable.Backlog waiting) {
        all.add(
                "pipecd_log_journal_rows",
                "Pieces of stage logs that wait in the database for the bucket.",
                Map.of(COMPONENT, component),
                waiting.rows());
        all.add(
                "pipecd_log_journal_oldest_seconds",
                "How long the oldest of them waits.",
                Map.of(COMPONENT, component),
                waiting.oldest().toSeconds());
    }

    private static void applications(Exposition all, Features features, String project) {
        features.people().figures().store().applications(new ProjectId(project)).stream()
                .collect(
                        Collectors.groupingBy(
                                c -> c.kind().name(), Collectors.summingInt(c -> c.count())))
                .forEach((kind, count) ->
                        all.add(
                                "insight_application_total",
                                "Applications that are registered.",
                                Map.of(COMPONENT, "ops", "project", project, "app_kind", kind),
                                count));
    }
}
