// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.ApplicationFiles.Found;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.agent.source.tree.Leniency;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lays out what plugins read: the application's folder of a commit and what it refers to, per
/// stage, so that a stage may change its own. Secrets are opened in it, so nobody but the agent's
/// user may look inside.
public final class Sources {
    private static final Logger log = LoggerFactory.getLogger(Sources.class);

    /// Who reads what is laid out to plan with.
    public static final String PLAN = "plan";

    /// What is laid out with the plan for the first stage that reads it. Whoever reads to plan gets
    /// another: it might leave something in it.
    public static final String FRESH = "fresh";

    /// On the wire, nothing.
    private static final Path NO_FOLDER = Path.of("");

    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Path root;
    private final Unsealing unsealing;

    /// @param alive the deployments whose folders are still needed; what others left is removed
    public Sources(
            Repositories repositories,
            ApplicationFiles files,
            Path root,
            Unsealing unsealing,
            Set<DeploymentId> alive) {
        this.repositories = repositories;
        this.files = files;
        this.root = root.toAbsolutePath().normalize();
        this.unsealing = unsealing;
        try {
            Files.createDirectories(this.root);
            Files.setPosixFilePermissions(this.root, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw unusable(e);
        }
        keep(alive);
    }

    private static Problem unusable(IOException e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "sources for plugins: %s (expected: a folder the agent can write)".formatted(e),
                "Give the agent's data directory write permission.",
                e);
    }

    /// An agent killed at the end of a deployment leaves opened secrets behind; one killed while it
    /// opened them, half of what goes on. While any is laid out, this must not be called.
    public void keep(Set<DeploymentId> alive) {
        try (var left = Files.newDirectoryStream(root)) {
            for (var place : left)
                if (alive.contains(new DeploymentId(place.getFileName().toString())))
                    Folder.deleteHalfMade(place);
                else remove(place);
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /// @param use names who reads it: a stage's id, `PLAN` or `FRESH`
    public SourceDirs target(Deployment deployment, String use) {
        return lay(
                deployment.getGitPath(),
                deployment.getTrigger().getCommit().getHash(),
                file(deployment, use, "target"),
                Found::extent);
    }

    /// What runs now, to compare with while it is planned; empty when nothing was deployed before,
    /// or when that commit is gone from the repository. It cannot be corrected any more, so a
    /// submodule that cannot be had stays an empty folder, which the log tells: its server may be
    /// gone for good, and would keep everything new from being deployed.
    public Optional<SourceDirs> running(Deployment deployment, String use) {
        return running(deployment, use, Leniency.UNREACHABLE);
    }

    /// The same for a stage, which may deploy it, as a rollback or a baseline does. Without a
    /// submodule that it needs that would be less than ran before, so one whose server does not
    /// answer is a `Problem` that names it. One that is lost for good can be had by nobody and is
    /// left out here too, as the log tells.
    public Optional<SourceDirs> runningWhole(Deployment deployment, String use) {
        return running(deployment, use, Leniency.LOST);
    }

    private Optional<SourceDirs> running(Deployment deployment, String use, Leniency leniency) {
        return runningCommit(deployment, repositories::contains)
                .map(commit ->
                        lay(
                                runningPath(deployment),
                                commit,
                                file(deployment, use, "running"),
                                found -> found.extent().with(leniency)));
    }

    /// Where the configuration of what runs now is: its file may have had another name.
    public static ApplicationGitPath runningPath(Deployment deployment) {
        return deployment.getRunningConfigFilename().isEmpty()
                ? deployment.getGitPath()
                : deployment.getGitPath().toBuilder()
                        .setConfigFilename(deployment.getRunningConfigFilename())
                        .build();
    }

    /// The commit being deployed without a folder, for whoever reads none.
    public SourceDirs targetNamed(Deployment deployment) {
        return named(deployment.getGitPath(), deployment.getTrigger().getCommit().getHash());
    }

    /// What runs now without a folder. Whoever reads none must not fail for a server that does not
    /// answer, so no server is asked for a commit that the mirror does not hold.
    public Optional<SourceDirs> runningNamed(Deployment deployment) {
        return runningCommit(deployment, repositories::holds)
                .map(commit -> named(runningPath(deployment), commit));
    }

    private SourceDirs named(ApplicationGitPath gitPath, String commit) {
        return new SourceDirs(
                NO_FOLDER,
                NO_FOLDER,
                commit,
                ApplicationFiles.fileName(gitPath),
                ByteString.copyFrom(files.read(gitPath, commit).content()));
    }

    private static Optional<String> runningCommit(
            Deployment deployment, BiPredicate<RepositoryId, String> isThere) {
        var commit = deployment.getRunningCommitHash();
        var repository = new RepositoryId(deployment.getGitPath().getRepo().getId());
        return commit.isEmpty() || !isThere.test(repository, commit)
                ? Optional.empty()
                : Optional.of(commit);
    }

    private SourceDirs lay(
            ApplicationGitPath gitPath, String commit, Path under, Function<Found, Extent> extent) {
        var found = files.read(gitPath, commit);
        var export =
                repositories.export(
                        new RepositoryId(gitPath.getRepo().getId()),
                        commit,
                        gitPath.getPath(),
                        extent.apply(found),
                        under,
                        made ->
                                unsealing.fill(
                                        found.config(), made.root(), made.applicationDirectory()));
        return new SourceDirs(
                export.applicationDirectory(),
                export.sharedConfigDirectory(),
                commit,
                ApplicationFiles.fileName(gitPath),
                ByteString.copyFrom(found.content()));
    }

    /// Gives what nobody has read yet to a stage. A second stage finds nothing left, and gets its
    /// own.
    public void handOver(Deployment deployment, String stage) {
        var place = place(deployment);
        var begin = FRESH + ".target-";
        try (var laid = Files.newDirectoryStream(place, begin + "*")) {
            for (var folder : laid) {
                var rest = folder.getFileName().toString().substring(begin.length());
                Files.move(folder, file(deployment, stage, "target-" + rest), ATOMIC_MOVE);
            }
        } catch (IOException none) {
            log.debug("{} has nothing to hand over", place, none);
        }
    }

    /// Beside what a stage reads; kept as long as that.
    public Path mark(Deployment deployment, String stage) {
        return file(deployment, stage, "begun");
    }

    /// Writes down who is to run a stage, for whoever has to stop it, also in another life of the
    /// agent: as far as it is not who was to when it was planned, which the plan tells.
    public void noteOwner(Deployment deployment, PipelineStage stage, String plugin) {
        var file = owner(deployment, stage);
        try {
            if (PlannedOwner.of(stage).filter(plugin::equals).isPresent()) {
                Files.deleteIfExists(file);
                return;
            }
            Files.createDirectories(file.resolveSibling(""));
            // There whole or not at all: half a name would be another plugin.
            var half = Files.writeString(file.resolveSibling(file.getFileName() + ".half"), plugin);
            Files.move(half, file, ATOMIC_MOVE);
        } catch (IOException e) {
            log.warn("{} cannot be written: {}", file, e.getMessage());
        }
    }

    /// Who ran a stage if that is another than it was planned for, as far as this machine knows.
    public Optional<String> knownOwner(Deployment deployment, PipelineStage stage) {
        try {
            return Optional.of(Files.readString(owner(deployment, stage)));
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }

    private Path owner(Deployment deployment, PipelineStage stage) {
        return file(deployment, stage.getId(), "owner");
    }

    public void remove(Deployment deployment) {
        remove(place(deployment));
    }

    private static void remove(Path place) {
        try {
            Folder.delete(place);
        } catch (IOException e) {
            log.warn(
                    "{} cannot be removed: {}. Remove it by hand when convenient.",
                    place,
                    e.getMessage());
        }
    }

    private Path place(Deployment deployment) {
        return inside(root, deployment.getId());
    }

    /// One folder a deployment: to make and remove more of them costs more than what they hold.
    private Path file(Deployment deployment, String use, String what) {
        return inside(place(deployment), use + "." + what);
    }

    /// Ids were checked by the wire's rules only for being there: none must lead out of our folder.
    private static Path inside(Path folder, String name) {
        var file = folder.resolve(name).normalize();
        if (!folder.equals(file.getParent()))
            throw new IllegalArgumentException("id: %s (expected: a plain name)".formatted(name));
        return file;
    }
}
