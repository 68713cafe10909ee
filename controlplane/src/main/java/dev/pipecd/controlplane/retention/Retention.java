// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.retention;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.controlplane.event.EventStore;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Event;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes what ended longer ago than the operator wants to keep it. Files go before the row that
/// leads to them: dying in between leaves a row, which is found again the next time.
public final class Retention {
    private static final Logger log = LoggerFactory.getLogger(Retention.class);
    private static final int AT_ONCE = 200;
    private static final int MOST_FAILURES = 10; // in a row

    private final Kept kept;
    private final Stores stores;
    private final FileStore files;
    private final Supplier<Collection<ProjectId>> projects;
    private final ControlPlaneConfig.Retention policy;
    private final InstantSource clock;

    public Retention(
            Stores stores,
            FileStore files,
            Supplier<Collection<ProjectId>> projects,
            ControlPlaneConfig.Retention policy,
            InstantSource clock) {
        this.kept = new Kept(stores);
        this.stores = stores;
        this.files = files;
        this.projects = projects;
        this.policy = policy;
        this.clock = clock;
    }

    /// Logs first: those of deployments that are deleted too are then gone already.
    public void apply(Turn turn) {
        if (policy.stageLogs().isPositive())
            new OldLogs(files, stores.deployments(), before(policy.stageLogs())).delete(turn);
        if (policy.deployments().isPositive()) deployments(turn, before(policy.deployments()));
        if (policy.events().isPositive())
            for (var project : projects.get()) events(turn, project, before(policy.events()));
        if (policy.commands().isPositive()) commands(turn, before(policy.commands()));
    }

    private long before(Duration age) {
        return clock.instant().minus(age).getEpochSecond();
    }

    private void deployments(Turn turn, long before) {
        var what = "deleted: ended more than " + told(policy.deployments()) + " ago";
        new Sweep<Deployment>(
                        "deployments",
                        (after, limit) -> stores.deployments().ended(before, after, limit),
                        d -> new Cursor(d.getCompletedAt(), d.getId()),
                        kept::isNeeded,
                        d -> {
                            OldLogs.deleteAll(files, d.getId());
                            return stores.deployments()
                                    .delete(
                                            new DeploymentId(d.getId()),
                                            what,
                                            now -> now.getCompletedAt() == d.getCompletedAt());
                        })
                .run(turn);
    }

    private void events(Turn turn, ProjectId project, long before) {
        var what = "deleted: registered more than " + told(policy.events()) + " ago";
        EventStore events = stores.events();
        new Sweep<Event>(
                        "events",
                        (after, limit) -> events.registered(project, before, after, limit),
                        e -> new Cursor(e.getCreatedAt(), e.getId()),
                        kept::isNeeded,
                        e -> events.delete(e.getId(), what))
                .run(turn);
    }

    private void commands(Turn turn, long before) {
        var what = "deleted: given more than " + told(policy.commands()) + " ago";
        new Sweep<Command>(
                        "commands",
                        (after, limit) -> stores.commands().ended(before, after, limit),
                        c -> new Cursor(c.getCreatedAt(), c.getId()),
                        _ -> false,
                        c -> {
                            files.delete(FilePath.of("command-output", c.getId() + ".json"));
                            return stores.commands().delete(new CommandId(c.getId()), what);
                        })
                .run(turn);
    }

    private static String told(Duration age) {
        return age.toHours() + " hours";
    }

    /// Goes over what is old, oldest first. What cannot be deleted is passed by, until it seems
    /// that nothing can.
    ///
    /// @param place where the next page begins
    private record Sweep<T>(
            String kind,
            BiFunction<Cursor, Integer, List<T>> page,
            Function<T, Cursor> place,
            Predicate<T> needed,
            Predicate<T> delete) {
        void run(Turn turn) {
            var failures = new ArrayList<RuntimeException>();
            var inARow = 0;
            var deleted = 0;
            var after = Cursor.START;
            List<T> found;
            do {
                found = page.apply(after, AT_ONCE);
                for (var one : found) {
                    if (!turn.mine()) return;
                    try {
                        if (!needed.test(one) && delete.test(one)) deleted++;
                        inARow = 0;
                    } catch (RuntimeException e) {
                        failures.add(e);
                        if (++inARow >= MOST_FAILURES) throw e;
                    }
                    after = place.apply(one);
                }
            } while (found.size() == AT_ONCE);
            if (deleted > 0) log.info("retention: {} {} deleted", deleted, kind);
            if (!failures.isEmpty())
                log.warn(
                        "retention: {} {} could not be deleted; they are tried again",
                        failures.size(),
                        kind,
                        failures.getFirst());
        }
    }
}
