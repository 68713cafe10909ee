// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ConfigException;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.util.LinkedHashMap;
import java.util.Map;

/// Reads applications' configuration files at a commit; the last ones read are remembered.
public final class ApplicationFiles {
    private static final int LARGEST = 1 << 20;
    private static final int REMEMBERED = 1_000;

    private final Repositories repositories;
    private final Map<String, Found> remembered =
            new LinkedHashMap<>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Found> eldest) {
                    return size() > REMEMBERED;
                }
            };

    public ApplicationFiles(Repositories repositories) {
        this.repositories = repositories;
    }

    /// Throws a `Problem` that names the file and every mistake in it.
    public Found read(ApplicationGitPath gitPath, String commit) {
        var path = path(gitPath);
        var key = gitPath.getRepo().getId() + "\n" + commit + "\n" + path;
        synchronized (remembered) {
            var found = remembered.get(key);
            if (found != null) return found;
        }
        var found = load(new RepositoryId(gitPath.getRepo().getId()), commit, path);
        synchronized (remembered) {
            remembered.put(key, found);
        }
        return found;
    }

    /// An application registered without a file name has the old default.
    public static String fileName(ApplicationGitPath gitPath) {
        return gitPath.getConfigFilename().isEmpty() ? ".pipe.yaml" : gitPath.getConfigFilename();
    }

    private static String path(ApplicationGitPath gitPath) {
        return gitPath.getPath() + "/" + fileName(gitPath);
    }

    private Found load(RepositoryId repository, String commit, String path) {
        var content =
                repositories
                        .read(repository, commit, path, LARGEST)
                        .orElseThrow(() ->
                                new Problem(
                                        Problem.Code.CONFIG_INVALID,
                                        "%s: no such file in commit %s of repository %s"
                                                .formatted(path, commit, repository),
                                        "Add the file, or correct the application's path and file name."));
        try {
            return new Found(Documents.application(path, content), content);
        } catch (ConfigException mistakes) {
            throw mistakes.problem();
        }
    }

    /// @param content the file as it is, for plugins
    public record Found(Loaded<ApplicationConfig> loaded, byte[] content) {
        public ApplicationConfig config() {
            return loaded.value();
        }
    }
}
