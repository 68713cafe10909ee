// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.application.ApplicationStore;
import dev.pipecd.controlplane.deployment.DeploymentFilter;
import dev.pipecd.controlplane.deployment.DeploymentStore;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes what the public server reads its figures from, so that a way back to it loses none. Files
/// are written in the order in which they lead to one another, the milestone last: dying anywhere
/// repeats some of it, and what is there already is not written twice.
public final class PublicFiles {
    private static final Logger log = LoggerFactory.getLogger(PublicFiles.class);
    private static final int AT_ONCE = 1_000;
    private static final String MILESTONE = "deployment_completed_at_milestone";

    /// The clocks of servers and agents may differ by so much.
    private static final Duration MARGIN = Duration.ofHours(1);

    private final FileStore files;
    private final ApplicationStore applications;
    private final DeploymentStore deployments;
    private final Supplier<Collection<ProjectId>> projects;
    private final int chunkSize;
    private final InstantSource clock;

    public PublicFiles(
            FileStore files,
            ApplicationStore applications,
            DeploymentStore deployments,
            Supplier<Collection<ProjectId>> projects,
            int chunkSize,
            InstantSource clock) {
        this.files = files;
        this.applications = applications;
        this.deployments = deployments;
        this.projects = projects;
        this.chunkSize = chunkSize;
        this.clock = clock;
    }

    /// One file a project: the applications there are.
    public void applications(Turn turn) {
        for (var project : projects.get()) {
            if (!turn.mine()) return;
            if (!isNameable(project.value())) continue;
            var file = JsonNodeFactory.instance.objectNode();
            var list = file.putArray("applications");
            all(project).forEach(a -> list.add(told(a)));
            file.put("updated_at", clock.instant().getEpochSecond());
            put(
                    FilePath.of("insights", project.value(), "applications", "applications.json"),
                    file);
        }
    }

    private List<Application> all(ProjectId project) {
        var all = new ArrayList<Application>();
        var after = Cursor.START;
        List<Application> page;
        do {
            page = applications.list(ApplicationFilter.all(project), after, AT_ONCE);
            all.addAll(page);
            if (!page.isEmpty())
                after = new Cursor(page.getLast().getUpdatedAt(), page.getLast().getId());
        } while (page.size() == AT_ONCE);
        return all;
    }

    private static ObjectNode told(Application application) {
        var told = JsonNodeFactory.instance.objectNode().put("id", application.getId());
        var labels = told.putObject("labels");
        application.getLabelsMap().forEach(labels::put);
        return told.put("kind", application.getKind().name())
                .put("status", application.getDisabled() ? "DISABLED" : "ENABLED");
    }

    /// Completed deployments since the milestone, by project and year.
    public void deployments(Turn turn) {
        var now = clock.instant().getEpochSecond();
        var since = Math.max(0, milestone() - MARGIN.toSeconds());
        // First: a milestone that was moved would hide them from the next run, should this one die.
        if (since > 0) for (var project : projects.get()) late(project, since, turn);
        var after = new Cursor(since, "");
        List<Deployment> page;
        do {
            page = deployments.ended(now + 1, after, AT_ONCE);
            if (!turn.mine()) return;
            written(page);
            if (page.size() == AT_ONCE) {
                after = new Cursor(page.getLast().getCompletedAt(), page.getLast().getId());
                milestone(after.updatedAt());
            }
        } while (page.size() == AT_ONCE);
        milestone(now);
    }

    /// Those that ended before, and of which it was told since: their agent may have been away for
    /// days, or taken for lost.
    private void late(ProjectId project, long since, Turn turn) {
        var told =
                new DeploymentFilter(project, List.of(), List.of(), List.of(), "", Map.of(), since);
        var after = Cursor.START;
        List<Deployment> page;
        do {
            page = deployments.list(told, after, AT_ONCE);
            if (!turn.mine()) return;
            written(
                    page.stream()
                            .filter(d -> Delivery.of(d).isPresent() && d.getCompletedAt() < since)
                            .toList());
            if (!page.isEmpty())
                after = new Cursor(page.getLast().getUpdatedAt(), page.getLast().getId());
        } while (page.size() == AT_ONCE);
    }

    private void written(List<Deployment> page) {
        page.stream()
                .filter(d -> isNameable(d.getProjectId()))
                .collect(Collectors.groupingBy(PublicFiles::folder))
                .forEach((folder, some) -> new Block(files, folder, chunkSize).add(some));
    }

    /// Any other makes no path of ours.
    private static boolean isNameable(String project) {
        try {
            return !FilePath.of(project).parts().isEmpty();
        } catch (Problem e) {
            return false;
        }
    }

    private static Block.Folder folder(Deployment deployment) {
        var year =
                Instant.ofEpochSecond(deployment.getCompletedAt())
                        .atOffset(ZoneOffset.UTC)
                        .getYear();
        return new Block.Folder(deployment.getProjectId(), "block_" + year);
    }

    private long milestone() {
        return files.get(path()).map(Json::parsed).map(m -> m.path(MILESTONE).asLong()).orElse(0L);
    }

    private void milestone(long at) {
        put(path(), JsonNodeFactory.instance.objectNode().put(MILESTONE, at));
        log.debug("insight files are complete up to {}", at);
    }

    private static FilePath path() {
        return FilePath.of("insights", "milestone.json");
    }

    private void put(FilePath path, ObjectNode content) {
        files.put(path, Json.bytes(content));
    }
}
