// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.suggest;

import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.About;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The application files of one repository and what they say of themselves: all read once, then
/// only what a commit changed.
final class FoundFiles {
    private static final Logger log = LoggerFactory.getLogger(FoundFiles.class);

    private final RepositoryId repository;
    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Map<String, About> byPath = new TreeMap<>();
    private String seen = "";

    FoundFiles(RepositoryId repository, Repositories repositories, ApplicationFiles files) {
        this.repository = repository;
        this.repositories = repositories;
        this.files = files;
    }

    RepositoryId repository() {
        return repository;
    }

    /// Whether there was a commit to read.
    boolean known() {
        return !seen.isEmpty();
    }

    Optional<About> find(String path) {
        return Optional.ofNullable(byPath.get(path));
    }

    Map<String, About> all() {
        return Collections.unmodifiableMap(byPath);
    }

    /// Reads what is new at the head as last fetched.
    void look() {
        var head = repositories.head(repository);
        if (head.isEmpty() || head.get().hash().equals(seen)) return;
        var hash = head.get().hash();
        if (seen.isEmpty()) readAll(hash);
        else
            switch (repositories.changedFiles(repository, seen, hash)) {
                case ChangedFiles.Changed(var paths) ->
                        readChanged(
                                paths.stream()
                                        .filter(p -> ApplicationConfig.isFileName(fileName(p)))
                                        .toList(),
                                hash);
                case ChangedFiles.HistoryRewritten() -> readAll(hash);
            }
        seen = hash;
    }

    private void readAll(String hash) {
        byPath.clear();
        repositories.applicationConfigs(repository, hash).forEach(path -> read(path, hash));
    }

    private void readChanged(List<String> paths, String hash) {
        if (paths.isEmpty()) return;
        var there = new HashSet<>(repositories.applicationConfigs(repository, hash));
        for (var path : paths) {
            byPath.remove(path);
            if (there.contains(path)) read(path, hash);
        }
    }

    private void read(String path, String hash) {
        // The protocol knows no application at the top of a repository.
        if (folder(path).length() < 2) return;
        try {
            var about = files.read(place(path), hash).config().about();
            if (about.name().isEmpty())
                log.info("{}: no name, so it is not suggested for registration", path);
            else byPath.put(path, about);
        } catch (Problem problem) {
            log.info("{}: not suggested for registration: {}", path, problem.told());
        }
    }

    private ApplicationGitPath place(String path) {
        return ApplicationGitPath.newBuilder()
                .setRepo(ApplicationGitRepository.newBuilder().setId(repository.value()))
                .setPath(folder(path))
                .setConfigFilename(fileName(path))
                .build();
    }

    static String folder(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    static String fileName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
