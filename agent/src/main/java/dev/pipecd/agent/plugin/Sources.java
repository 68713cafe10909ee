// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.Deployment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lays out what plugins read: just the application's folder of a commit, per stage, so that a
/// stage may change its own.
public final class Sources {
    private static final Logger log = LoggerFactory.getLogger(Sources.class);

    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Path root;

    public Sources(Repositories repositories, ApplicationFiles files, Path root) {
        this.repositories = repositories;
        this.files = files;
        this.root = root;
    }

    /// @param use names who reads it: a stage's id, or the planner
    public SourceDirs target(Deployment deployment, String use) {
        return lay(
                deployment.getGitPath(),
                deployment.getTrigger().getCommit().getHash(),
                place(deployment).resolve(use).resolve("target"));
    }

    /// What runs now; empty when nothing was deployed before, or when that commit is gone from the
    /// repository.
    public Optional<SourceDirs> running(Deployment deployment, String use) {
        var commit = deployment.getRunningCommitHash();
        var repository = new RepositoryId(deployment.getGitPath().getRepo().getId());
        if (commit.isEmpty() || !repositories.contains(repository, commit)) return Optional.empty();
        return Optional.of(
                lay(
                        runningPath(deployment),
                        commit,
                        place(deployment).resolve(use).resolve("running")));
    }

    /// Where the configuration of what runs now is: its file may have had another name.
    public static ApplicationGitPath runningPath(Deployment deployment) {
        return deployment.getRunningConfigFilename().isEmpty()
                ? deployment.getGitPath()
                : deployment.getGitPath().toBuilder()
                        .setConfigFilename(deployment.getRunningConfigFilename())
                        .build();
    }

    private SourceDirs lay(ApplicationGitPath gitPath, String commit, Path under) {
        var found = files.read(gitPath, commit);
        var export =
                repositories.export(
                        new RepositoryId(gitPath.getRepo().getId()),
                        commit,
                        gitPath.getPath(),
                        under);
        return new SourceDirs(
                export.applicationDirectory(),
                export.sharedConfigDirectory(),
                commit,
                ApplicationFiles.fileName(gitPath),
                ByteString.copyFrom(found.content()));
    }

    public void remove(Deployment deployment) {
        var place = place(deployment);
        if (!Files.exists(place)) return;
        try (var paths = Files.walk(place)) {
            paths.sorted(Comparator.reverseOrder())
                    .forEach(path -> {
                        try {
                            Files.delete(path);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        } catch (IOException | UncheckedIOException e) {
            log.warn(
                    "{} cannot be removed: {}. Remove it by hand when convenient.",
                    place,
                    e.getMessage());
        }
    }

    /// The id was checked by the wire's rules only for being there: it must not lead out of our
    /// folder.
    private Path place(Deployment deployment) {
        var place = root.resolve(deployment.getId()).normalize();
        if (!root.equals(place.getParent()))
            throw new IllegalArgumentException(
                    "deployment id: %s (expected: a plain name)".formatted(deployment.getId()));
        return place;
    }
}
