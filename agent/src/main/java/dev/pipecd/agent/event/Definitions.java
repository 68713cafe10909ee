// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.ApplicationConfig.EventUpdate;
import dev.pipecd.config.ApplicationConfig.EventWatch;
import dev.pipecd.config.ConfigException;
import dev.pipecd.config.PipedConfig.WatchedRepository;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which events a repository waits for, as its applications' files and the files of `.pipe` say.
/// After the first look only what a commit changed is read.
final class Definitions {
    private static final Logger log = LoggerFactory.getLogger(Definitions.class);
    private static final String SHARED = ".pipe";
    private static final String GIT_UPDATE = "GIT_UPDATE";
    private static final int LARGEST = 1 << 20;
    private static final String UNREAD = "unread";

    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Applications applications;
    private final List<WatchedRepository> settings;
    private final Map<RepositoryId, Known> known = new HashMap<>();
    private final Set<String> told = new HashSet<>();
    private boolean missed;

    Definitions(
            Repositories repositories,
            ApplicationFiles files,
            Applications applications,
            List<WatchedRepository> settings) {
        this.repositories = repositories;
        this.files = files;
        this.applications = applications;
        this.settings = List.copyOf(settings);
    }

    /// @param whole whether all of it could be read
    private record Known(
            String head,
            long version,
            boolean whole,
            Map<String, Read> byApplication,
            List<Watch> shared) {
        List<Watch> all() {
            var all = new ArrayList<>(shared);
            byApplication.values().forEach(read -> all.addAll(read.watches));
            return all;
        }
    }

    /// What one file says.
    ///
    /// @param linked names what stands behind a link, which changes elsewhere; empty for a plain
    ///   file
    private record Read(List<Watch> watches, String linked) {}

    List<Watch> at(RepositoryId repository, String head) {
        var before = known.getOrDefault(repository, new Known("", 0, true, Map.of(), List.of()));
        var version = applications.version();
        var same = before.whole() && before.head().equals(head);
        if (same && before.version() == version) return before.all();
        missed = false;
        var stale = stale(repository, before, head);
        var byApplication = new LinkedHashMap<String, Read>();
        for (var all = applications.all().iterator(); all.hasNext(); ) {
            var path = all.next().getGitPath();
            if (!path.getRepo().getId().equals(repository.value())) continue;
            var file = path.getPath() + "/" + ApplicationFiles.fileName(path);
            var read = before.byApplication().get(file);
            byApplication.put(
                    file,
                    read == null || stale.touches(file) || hasMoved(read, repository, file, head)
                            ? read(repository, path, file, head)
                            : read);
        }
        var shared = same ? before.shared() : shared(repository, head);
        var now = new Known(head, version, !missed, byApplication, shared);
        known.put(repository, now);
        return now.all();
    }

    private boolean hasMoved(Read read, RepositoryId repository, String file, String head) {
        return !read.linked.isEmpty() && !read.linked.equals(linked(repository, file, head));
    }

    private Read read(RepositoryId repository, ApplicationGitPath path, String file, String head) {
        var linked = linked(repository, file, head);
        try {
            return new Read(ofApplication(repository, path, file, head), linked);
        } catch (Problem unreadable) {
            // Told on the application's page, where the same file is read for deployments.
            return new Read(List.of(), isMissed(unreadable) ? UNREAD : linked);
        }
    }

    private String linked(RepositoryId repository, String file, String head) {
        try {
            return files.behindLink(repository, head, file);
        } catch (Problem unreadable) {
            var _ = isMissed(unreadable);
            return UNREAD;
        }
    }

    /// What a mirror could not tell just now is asked again, and not remembered as nothing.
    private boolean isMissed(Problem problem) {
        var away = problem.code().kind() == Problem.Kind.UNAVAILABLE;
        missed |= away;
        return away;
    }

    private Stale stale(RepositoryId repository, Known before, String head) {
        if (before.head().isEmpty() || before.head().equals(head))
            return new Stale(false, Set.of());
        return switch (repositories.changedFiles(repository, before.head(), head)) {
            case ChangedFiles.Changed(var paths) -> new Stale(false, new HashSet<>(paths));
            case ChangedFiles.HistoryRewritten() -> new Stale(true, Set.of());
        };
    }

    private record Stale(boolean everything, Set<String> paths) {
        boolean touches(String file) {
            return everything || paths.contains(Path.of(file).normalize().toString());
        }
    }

    private List<Watch> ofApplication(
            RepositoryId repository, ApplicationGitPath path, String file, String head) {
        var content = repositories.read(repository, head, file, LARGEST);
        if (content.isEmpty() || !mentions(content.get(), "eventwatcher")) return List.of();
        var written = files.read(path, head).config().additions().eventWatcher();
        var watches = new ArrayList<Watch>();
        for (var one : written)
            if (one.handlerType().equals(GIT_UPDATE) && !one.name().isEmpty())
                watches.add(
                        watch(
                                repository,
                                "%s: eventWatcher[%d]".formatted(file, written.indexOf(one)),
                                path.getPath(),
                                one,
                                one.update().commitMessage()));
        return watches;
    }

    /// Most files say nothing about events, and reading a file as YAML costs more than this.
    private static boolean mentions(byte[] content, String word) {
        return new String(content, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT).contains(word);
    }

    private static Watch watch(
            RepositoryId repository,
            String origin,
            String directory,
            EventWatch one,
            String commitMessage) {
        return new Watch(
                repository,
                origin,
                directory,
                new Watch.Kind(one.name(), one.labels()),
                new EventUpdate(
                        commitMessage,
                        one.update().makePullRequest(),
                        one.update().replacements()));
    }

    private List<Watch> shared(RepositoryId repository, String head) {
        var setting = settings.stream().filter(one -> one.id().equals(repository)).findFirst();
        var includes = setting.map(WatchedRepository::includes).orElse(List.of());
        var excludes = setting.map(WatchedRepository::excludes).orElse(List.of());
        var watches = new ArrayList<Watch>();
        for (var name : sharedFiles(repository, head)) {
            var file = SHARED + "/" + name;
            try {
                if (!includes.isEmpty() && !matches(includes, name)) continue;
                if (matches(excludes, name)) continue;
                var content = repositories.read(repository, head, file, LARGEST);
                if (content.isEmpty() || !mentions(content.get(), "eventwatcher")) continue;
                var message = setting.map(WatchedRepository::commitMessage).orElse("");
                watches.addAll(ofFile(repository, file, content.get(), message));
            } catch (ConfigException mistakes) {
                tellOnce(repository, mistakes.problem());
            } catch (Problem unreadable) {
                tellOnce(repository, unreadable);
            }
        }
        return watches;
    }

    private List<String> sharedFiles(RepositoryId repository, String head) {
        try {
            return repositories.files(repository, head, SHARED);
        } catch (Problem unreadable) {
            tellOnce(repository, unreadable);
            return List.of();
        }
    }

    private static List<Watch> ofFile(
            RepositoryId repository, String file, byte[] content, String commitMessage) {
        var read = Documents.events(file, content);
        if (read.isEmpty()) return List.of();
        var watches = new ArrayList<Watch>();
        for (var one : read.get().value()) {
            var origin = "%s: events[%d]".formatted(file, watches.size());
            watches.add(watch(repository, origin, "", one, commitMessage));
        }
        return watches;
    }

    private static boolean matches(Collection<String> patterns, String name) {
        try {
            return patterns.stream()
                    .map(pattern -> FileSystems.getDefault().getPathMatcher("glob:" + pattern))
                    .anyMatch(pattern -> pattern.matches(Path.of(name)));
        } catch (IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "eventWatcher.gitRepos: %s (expected: patterns such as *.yaml)"
                            .formatted(e.getMessage()),
                    "Correct includes and excludes in the agent's configuration.",
                    e);
        }
    }

    void tellOnce(RepositoryId repository, Problem problem) {
        var _ = isMissed(problem);
        var what = "repository %s: %s".formatted(repository, problem.told());
        if (told.add(what)) log.warn("event watcher: {}", what);
    }
}
