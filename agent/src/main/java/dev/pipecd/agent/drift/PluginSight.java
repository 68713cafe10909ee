// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import dev.pipecd.agent.plugin.LiveState;
import dev.pipecd.agent.plugin.LiveStates;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Lays out the head of each application once and asks its plugins; a head that does not touch the
/// application costs a look at what changed, nothing more.
public final class PluginSight implements Sight {
    /// What folders of live state are called among those of deployments.
    private static final String FOLDER = "live-";

    private static final String USE = "live";

    private final LiveStates plugins;
    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Sources sources;
    private final Map<ApplicationId, Laid> laid = new ConcurrentHashMap<>();

    public PluginSight(
            LiveStates plugins,
            Repositories repositories,
            ApplicationFiles files,
            Sources sources) {
        this.plugins = plugins;
        this.repositories = repositories;
        this.files = files;
        this.sources = sources;
    }

    /// @param good the newest commit at which the folder is the same
    /// @param reach where a change would make it another
    private record Laid(
            ApplicationGitPath place, String good, Head head, List<String> reach, boolean secret) {
        Laid until(String commit) {
            return new Laid(place, commit, head, reach, secret);
        }
    }

    @Override
    public boolean offered(String plugin) {
        return plugins.offered(plugin);
    }

    @Override
    public Optional<Head> head(Application application) {
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        return repositories
                .head(repository)
                .map(head -> {
                    var id = new ApplicationId(application.getId());
                    var before = Optional.ofNullable(laid.get(id));
                    var now =
                            before.filter(old -> holds(old, application, head.hash()))
                                    .map(old -> old.until(head.hash()))
                                    .orElseGet(() -> lay(application, head.hash()));
                    laid.put(id, now);
                    return now.head;
                });
    }

    private boolean holds(Laid old, Application application, String head) {
        if (!old.place.equals(application.getGitPath())
                || !Files.isDirectory(old.head.dirs().applicationDirectory())) return false;
        if (old.good.equals(head)) return true;
        var repository = new RepositoryId(old.place.getRepo().getId());
        return switch (repositories.changedFiles(repository, old.good, head, old.reach)) {
            case ChangedFiles.Changed(var paths) -> paths.isEmpty();
            case ChangedFiles.HistoryRewritten() -> false;
        };
    }

    private Laid lay(Application application, String head) {
        forget(new ApplicationId(application.getId()));
        var place = application.getGitPath();
        var file = files.read(place, head);
        var dirs = sources.target(standIn(application.getId(), place, head), USE);
        var reach =
                repositories.reach(
                        new RepositoryId(place.getRepo().getId()),
                        head,
                        place.getPath(),
                        file.extent());
        var secret = !file.config().additions().encryption().decryptionTargets().isEmpty();
        return new Laid(place, head, new Head(dirs, file.loaded().warnings()), reach, secret);
    }

    @Override
    public LiveState look(
            String plugin, Application application, List<String> targets, SourceDirs head)
            throws InterruptedException {
        return plugins.of(plugin, application, targets, head);
    }

    /// Secrets in the clear do not wait on the disk for the next look.
    @Override
    public void done(Application application) {
        var id = new ApplicationId(application.getId());
        var there = laid.get(id);
        if (there != null && there.secret) forget(id);
    }

    @Override
    public void keep(Set<ApplicationId> applications) {
        laid.keySet().stream().filter(id -> !applications.contains(id)).forEach(this::forget);
    }

    private void forget(ApplicationId id) {
        laid.remove(id);
        sources.remove(standIn(id.value(), ApplicationGitPath.getDefaultInstance(), ""));
    }

    /// Folders are laid out for deployments; live state is of none.
    private static Deployment standIn(String application, ApplicationGitPath place, String head) {
        return Deployment.newBuilder()
                .setId(FOLDER + application)
                .setApplicationId(application)
                .setGitPath(place)
                .setTrigger(
                        DeploymentTrigger.newBuilder().setCommit(Commit.newBuilder().setHash(head)))
                .build();
    }
}
