// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.piped.ListApplicationsResponse;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The applications of this agent as last told by the control plane, kept on disk so that a restart
/// works without it. What the agent itself did since wins over an older word of the control plane.
public final class Applications {
    private static final Logger log = LoggerFactory.getLogger(Applications.class);

    private final Path file;
    private final Map<ApplicationId, Application> known = new LinkedHashMap<>();

    public Applications(Path file) {
        this.file = file;
        try {
            if (Files.exists(file))
                ListApplicationsResponse.parseFrom(Files.readAllBytes(file))
                        .getApplicationsList()
                        .forEach(a -> known.put(new ApplicationId(a.getId()), a));
        } catch (IOException e) {
            log.warn(
                    "{} cannot be read; the control plane will tell the applications again",
                    file,
                    e);
        }
    }

    public synchronized List<Application> all() {
        return List.copyOf(known.values());
    }

    public synchronized List<Application> of(RepositoryId repository) {
        return known.values().stream()
                .filter(a -> a.getGitPath().getRepo().getId().equals(repository.value()))
                .toList();
    }

    public synchronized Optional<Application> find(ApplicationId id) {
        return Optional.ofNullable(known.get(id));
    }

    /// Answers whether there is one that was not known before, or is at another place now.
    public synchronized boolean refresh(List<Application> told) {
        var fresh = new LinkedHashMap<ApplicationId, Application>();
        for (var application : told) {
            var id = new ApplicationId(application.getId());
            fresh.put(id, newest(Optional.ofNullable(known.get(id)), application));
        }
        var places = places();
        known.clear();
        known.putAll(fresh);
        save();
        return !places.containsAll(places());
    }

    private Set<Map.Entry<ApplicationId, ApplicationGitPath>> places() {
        return known.entrySet().stream()
                .map(a -> Map.entry(a.getKey(), a.getValue().getGitPath()))
                .collect(Collectors.toSet());
    }

    /// Called after the deployment is recorded: a crash in between is mended from the journal.
    public synchronized void triggered(Deployment deployment) {
        change(deployment, (a, r) -> a.toBuilder().setMostRecentlyTriggeredDeployment(r).build());
    }

    /// What the journal tells after a restart: true unless a newer one is known.
    public synchronized void triggeredBefore(Deployment deployment) {
        var newest =
                find(new ApplicationId(deployment.getApplicationId()))
                        .map(a -> a.getMostRecentlyTriggeredDeployment().getStartedAt())
                        .orElse(0L);
        if (newest <= deployment.getCreatedAt()) triggered(deployment);
    }

    public synchronized void succeeded(Deployment deployment) {
        change(deployment, (a, r) -> a.toBuilder().setMostRecentlySuccessfulDeployment(r).build());
    }

    private void change(
            Deployment deployment,
            java.util.function.BiFunction<Application, ApplicationDeploymentReference, Application>
                    how) {
        var id = new ApplicationId(deployment.getApplicationId());
        var application = known.get(id);
        if (application == null) return;
        known.put(
                id,
                how.apply(
                        application,
                        ApplicationDeploymentReference.newBuilder()
                                .setDeploymentId(deployment.getId())
                                .setTrigger(deployment.getTrigger())
                                .setSummary(deployment.getSummary())
                                .setConfigFilename(deployment.getGitPath().getConfigFilename())
                                .setStartedAt(deployment.getCreatedAt())
                                .build()));
        save();
    }

    private static Application newest(Optional<Application> ours, Application told) {
        if (ours.isEmpty()) return told;
        var merged = told.toBuilder();
        var here = ours.get();
        if (here.getMostRecentlyTriggeredDeployment().getStartedAt()
                >= told.getMostRecentlyTriggeredDeployment().getStartedAt())
            merged.setMostRecentlyTriggeredDeployment(here.getMostRecentlyTriggeredDeployment());
        if (here.getMostRecentlySuccessfulDeployment().getStartedAt()
                >= told.getMostRecentlySuccessfulDeployment().getStartedAt())
            merged.setMostRecentlySuccessfulDeployment(here.getMostRecentlySuccessfulDeployment());
        return merged.build();
    }

    private void save() {
        var temporary = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.write(
                    temporary,
                    ListApplicationsResponse.newBuilder()
                            .addAllApplications(known.values())
                            .build()
                            .toByteArray());
            try (var channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            log.warn(
                    "{} cannot be written; a restart without the control plane would know less",
                    file,
                    e);
        }
    }
}
