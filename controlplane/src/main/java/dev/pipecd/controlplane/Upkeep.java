// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.ControlPlaneConfig.InsightCollector;
import dev.pipecd.controlplane.ops.Chore;
import dev.pipecd.controlplane.ops.Chores;
import dev.pipecd.controlplane.ops.Lease;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.store.LeaseTable;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Which chores there are and how often each is done: by the server on a database of its own,
/// otherwise by whichever server or ops has the turn.
final class Upkeep {
    private static final String TURN = "chores";
    private static final Duration LIFE = Duration.ofSeconds(30);
    private static final Duration PACE = Duration.ofSeconds(1);

    private Upkeep() {}

    /// @param process tells it apart from every other, also from what it was before a restart
    static Chores begin(
            Features features, ControlPlaneConfig config, String process, InstantSource clock) {
        var database = features.stores().database();
        var chores = chores(features, config);
        if (!database.shared()) return Chores.start(chores, clock, PACE);
        var lease = new Lease(new LeaseTable(database), TURN, process, LIFE, System::nanoTime);
        return Chores.start(lease, chores, clock, PACE);
    }

    static void describe(Chores chores, Metrics metrics) {
        metrics.gauge(
                "pipecd_ops_turn",
                "1 where this process does the chores; of all processes one should.",
                () -> chores.mine() ? 1 : 0);
        metrics.gauges(
                "pipecd_chore_done_timestamp_seconds",
                "When each chore was last done to its end by this process.",
                "chore",
                () ->
                        chores.done().entrySet().stream()
                                .collect(
                                        Collectors.toMap(
                                                Map.Entry::getKey,
                                                e -> e.getValue().toEpochMilli() / 1000.0)));
        metrics.counters(
                "pipecd_chore_failures",
                "How often each chore failed in this process.",
                "chore",
                chores::failures);
    }

    /// Tells that a server is there to hear agents, whoever has the turn.
    static Chores listen(Features features, String process, InstantSource clock) {
        var heartbeats = features.pipeds().heartbeats();
        var chore =
                Chore.every(Duration.ofSeconds(30), "listening", _ -> heartbeats.listen(process));
        return Chores.start(List.of(chore), clock, PACE);
    }

    static List<Chore> chores(Features features, ControlPlaneConfig config) {
        var delivery = features.delivery();
        var heartbeats = features.pipeds().heartbeats();
        var lost = delivery.lost(() -> agents(features), config.ops().lostAfter());
        var retention = delivery.retention(() -> projects(features), config.ops().retention());
        var chores = new ArrayList<>(insight(features, config.insightCollector()));
        Collections.addAll(
                chores,
                Chore.every(
                        Duration.ofMinutes(1),
                        "looking after commands and chains",
                        _ -> delivery.lookAfter()),
                Chore.every(Duration.ofMinutes(1), "looking for lost deployments", lost::look),
                Chore.every(
                        Duration.ofMinutes(1),
                        "bringing to the bucket what others left",
                        turn -> features.stores().kept().tidy(turn::mine)),
                Chore.every(
                        Duration.ofMinutes(10),
                        "noting when API keys were used",
                        _ -> features.apiKeys().usedElsewhere()),
                Chore.every(
                        Duration.ofHours(1),
                        "forgetting what commands produced",
                        delivery.commands()::forgetOutputs),
                Chore.every(
                        Duration.ofHours(1),
                        "forgetting silent agents",
                        _ -> {
                            heartbeats.forget();
                            delivery.health().forget();
                        }),
                Chore.every(Duration.ofHours(6), "retention", retention::apply));
        return chores;
    }

    private static List<Chore> insight(Features features, InsightCollector told) {
        var files =
                features.delivery()
                        .publicFiles(() -> projects(features), told.deployment().chunkMaxCount());
        var chores = new ArrayList<Chore>();
        if (told.application().enabled())
            chores.add(
                    Chore.at(
                            told.application().schedule(),
                            "insight file of applications",
                            files::applications));
        if (told.deployment().enabled())
            chores.add(
                    Chore.at(
                            told.deployment().schedule(),
                            "insight files of deployments",
                            files::deployments));
        return chores;
    }

    private static Collection<ProjectId> projects(Features features) {
        return features.projects().all().stream().map(p -> new ProjectId(p.getId())).toList();
    }

    private static Collection<PipedId> agents(Features features) {
        return projects(features).stream().flatMap(p -> features.pipeds().ids(p).stream()).toList();
    }
}
