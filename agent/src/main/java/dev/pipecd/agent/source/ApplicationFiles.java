// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.agent.source.tree.Leniency;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ConfigException;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ObjectId;

/// Reads applications' configuration files at a commit. What was read last is remembered by its
/// content, so that a new commit costs only the files it changed.
public final class ApplicationFiles {
    private static final int LARGEST = 1 << 20;
    private static final int MOST_REMEMBERED = 8 << 20;

    /// Where a link leads that leads to no file of the repository.
    private static final String NOWHERE = "nowhere";

    private final History repositories;
    private final LinkedHashMap<Key, Found> remembered = new LinkedHashMap<>(64, 0.75f, true);
    private long bytes;

    public ApplicationFiles(History repositories) {
        this.repositories = repositories;
    }

    /// Throws a `Problem` that names the file and every mistake in it.
    public Found read(ApplicationGitPath gitPath, String commit) {
        var path = path(gitPath);
        var repository = new RepositoryId(gitPath.getRepo().getId());
        var content =
                repositories
                        .content(repository, commit, path)
                        .orElseThrow(() -> missing(repository, commit, path));
        var key = new Key(content, path);
        synchronized (remembered) {
            var found = remembered.get(key);
            if (found != null) return found;
        }
        var found = decode(path, repositories.content(repository, content, path, LARGEST));
        remember(key, found);
        return found;
    }

    /// Names what a file behind a link holds, which changes without the file's own path; empty for
    /// a plain file.
    public String behindLink(RepositoryId repository, String commit, String path) {
        try {
            if (repositories.way(repository, commit, path).equals(List.of(path))) return "";
            return repositories
                    .content(repository, commit, path)
                    .map(ObjectId::name)
                    .orElse(NOWHERE);
        } catch (Problem leavesRepository) {
            if (leavesRepository.code().kind() == Problem.Kind.UNAVAILABLE) throw leavesRepository;
            return NOWHERE;
        }
    }

    /// Where an application is in a commit: its folder and, where links lead elsewhere, each link
    /// and what the last one leads to, of the folder and of the file. What changes there changes
    /// the application.
    public static List<String> places(
            History repositories, ApplicationGitPath gitPath, String commit) {
        var repository = new RepositoryId(gitPath.getRepo().getId());
        var folder = folder(gitPath);
        var file = plain(path(gitPath));
        var way = way(repositories, repository, commit, file);
        // As for nearly all.
        if (way.equals(List.of(file))) return List.of(folder);
        var places = new LinkedHashSet<>(List.of(folder));
        places.addAll(way(repositories, repository, commit, folder));
        places.addAll(way);
        return List.copyOf(places);
    }

    /// From the repository's root, as a commit names it.
    public static String folder(ApplicationGitPath gitPath) {
        return plain(gitPath.getPath());
    }

    /// Nothing of a path that leads nowhere, or out of the repository.
    private static List<String> way(
            History repositories, RepositoryId repository, String commit, String path) {
        try {
            return repositories.way(repository, commit, path);
        } catch (Problem leavesRepository) {
            if (leavesRepository.code().kind() == Problem.Kind.UNAVAILABLE) throw leavesRepository;
            return List.of();
        }
    }

    private static String plain(String written) {
        return Stream.of(written.split("/", -1))
                .filter(part -> !part.isEmpty() && !part.equals("."))
                .collect(Collectors.joining("/"));
    }

    /// Bounded by what the files weigh: a thousand of a megabyte each would be too many.
    private void remember(Key key, Found found) {
        synchronized (remembered) {
            if (remembered.put(key, found) == null) bytes += found.weight();
            var eldest = remembered.values().iterator();
            while (bytes > MOST_REMEMBERED && remembered.size() > 1) {
                bytes -= eldest.next().weight();
                eldest.remove();
            }
        }
    }

    /// An application registered without a file name has the old default.
    public static String fileName(ApplicationGitPath gitPath) {
        return gitPath.getConfigFilename().isEmpty() ? ".pipe.yaml" : gitPath.getConfigFilename();
    }

    /// From the repository's root.
    public static String path(ApplicationGitPath gitPath) {
        return gitPath.getPath() + "/" + fileName(gitPath);
    }

    private static Problem missing(RepositoryId repository, String commit, String path) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "%s: no such file in commit %s of repository %s"
                        .formatted(path, commit, repository),
                "Add the file, or correct the application's path and file name.");
    }

    private static Found decode(String path, byte[] content) {
        try {
            return new Found(Documents.application(path, content), content);
        } catch (ConfigException mistakes) {
            throw mistakes.problem();
        }
    }

    /// Mistakes and warnings name the path, so the same content elsewhere is read again.
    private record Key(ObjectId content, String path) {}

    /// @param content the file as it is, for plugins
    public record Found(Loaded<ApplicationConfig> loaded, byte[] content) {
        public ApplicationConfig config() {
            return loaded.value();
        }

        /// What the application is given of the repository besides its folder.
        public Extent extent() {
            var source = config().additions().source();
            return new Extent(
                    source.paths(),
                    config().trigger().onCommit().paths().stream()
                            .filter(PathPatterns::names)
                            .map(PathPatterns::below)
                            .distinct()
                            .toList(),
                    source.references(),
                    Leniency.NONE);
        }

        /// Decoded it takes several times the room of its text.
        private long weight() {
            return 2_000 + 8L * content.length;
        }
    }
}
