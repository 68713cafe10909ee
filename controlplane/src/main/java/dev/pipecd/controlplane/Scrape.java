// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.controlplane.server.Exposition;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.store.JournalTable;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What Prometheus is told of a whole installation: this process, how many applications there are,
/// and what each living agent reported of itself. While the database is away, what it would tell is
/// missing, and nothing else.
final class Scrape {
    private static final Logger log = LoggerFactory.getLogger(Scrape.class);
    private static final String COMPONENT = "pipecd_component";
    private static final long MOST_BYTES = 32L * 1024 * 1024;

    private final String component;
    private final Metrics own;
    private final Features features;
    private volatile Map<PipedId, ProjectId> owners = Map.of();

    /// @param component what this process is
    Scrape(String component, Metrics own, Features features) {
        this.component = component;
        this.own = own;
        this.features = features;
    }

    byte[] text() {
        var all = new Exposition();
        all.add(new String(own.text(), UTF_8), Map.of(COMPONENT, component));
        var heard = features.pipeds().heartbeats().told();
        var database = new Questions(all);
        database.ask("journal", () -> journal(all));
        database.ask("applications", () -> applications(all));
        // who is asked while it is away belongs to whom it belonged before
        database.ask("agents", () -> owners = owners(heard));
        agents(all, read(heard));
        return all.text();
    }

    /// What grows while the bucket is away.
    private void journal(Exposition all) {
        var waiting = new JournalTable(features.stores().database()).backlog();
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

    private void applications(Exposition all) {
        for (var project : features.projects().all()) applications(all, project.getId());
    }

    private void applications(Exposition all, String project) {
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

    private Map<PipedId, ProjectId> owners(Collection<PipedId> agents) {
        var found = new HashMap<PipedId, ProjectId>();
        for (var agent : agents)
            features.pipeds().owner(agent).ifPresent(project -> found.put(agent, project));
        return Map.copyOf(found);
    }

    /// One by one, and no more than there is room for: what is too much, the project that says most
    /// has to leave out.
    private Map<ProjectId, Said> read(Collection<PipedId> heard) {
        var known = owners;
        var projects = new HashMap<ProjectId, Said>();
        var held = 0L;
        for (var piped : heard) {
            var project = known.get(piped);
            var text =
                    project == null
                            ? Optional.<byte[]>empty()
                            : features.pipeds().heartbeats().metrics(piped);
            if (project == null || text.isEmpty()) continue;
            var said = projects.computeIfAbsent(project, _ -> new Said());
            held += said.add(piped, text.get());
            while (held > MOST_BYTES)
                held -=
                        Collections.max(projects.values(), Comparator.comparing(s -> s.bytes))
                                .cut();
        }
        return projects;
    }

    /// Those who say little first: each project has an equal share of the room, and what it leaves
    /// is shared by the others, so that none can crowd another out.
    private void agents(Exposition all, Map<ProjectId, Said> projects) {
        var left = MOST_BYTES;
        var waiting = projects.size();
        for (var project : leastFirst(projects)) {
            var share = left / waiting--;
            var room = new Exposition.Room(share);
            var said = projects.getOrDefault(project, new Said());
            said.texts.forEach((piped, text) -> agent(all, project, piped, text, room));
            left -= share - room.left();
            all.add(
                    "pipecd_scrape_lines_cut",
                    "Lines agents told that found no place this time.",
                    Map.of(COMPONENT, component, "project", project.value()),
                    room.cut() + said.cut);
        }
    }

    private static List<ProjectId> leastFirst(Map<ProjectId, Said> projects) {
        return projects.entrySet().stream()
                .sorted(Comparator.comparingLong(e -> e.getValue().bytes))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static void agent(
            Exposition all, ProjectId project, PipedId piped, byte[] text, Exposition.Room room) {
        all.add(
                new String(text, UTF_8),
                Map.of(COMPONENT, "piped", "piped", piped.value(), "project", project.value()),
                room);
    }

    /// What the agents of a project say.
    private static final class Said {
        final SequencedMap<PipedId, byte[]> texts = new LinkedHashMap<>();
        long bytes;
        long cut;

        long add(PipedId piped, byte[] text) {
            texts.put(piped, text);
            bytes += text.length;
            return text.length;
        }

        /// Leaves out the last one.
        long cut() {
            var text = texts.pollLastEntry().getValue();
            for (var letter : text) if (letter == '\n') cut++;
            bytes -= text.length;
            return text.length;
        }
    }

    /// What is asked of the database: one that failed is not asked again, so that nobody waits
    /// long.
    private final class Questions {
        private final Exposition all;
        private boolean away;

        Questions(Exposition all) {
            this.all = all;
        }

        void ask(String part, Runnable question) {
            if (!away) {
                try {
                    question.run();
                } catch (RuntimeException e) {
                    log.debug("scrape: {} cannot be told", part, e);
                    away = true;
                }
            }
            all.add(
                    "pipecd_scrape_part_failed",
                    "1 for what could not be told this time because the database did not answer.",
                    Map.of(COMPONENT, component, "part", part),
                    away ? 1 : 0);
        }
    }
}
