// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.suggest;

import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.About;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The application files of one repository: all read once, then only what a commit changed. Of what
/// they say only a digest is kept, since there may be 50,000.
final class FoundFiles {
    private static final Logger log = LoggerFactory.getLogger(FoundFiles.class);

    private final RepositoryId repository;
    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Map<String, Long> digests = new TreeMap<>();

    /// What stands behind those that are links, and changes elsewhere.
    private final Map<String, String> linked = new HashMap<>();

    private String seen = "";
    private long version;

    FoundFiles(RepositoryId repository, Repositories repositories, ApplicationFiles files) {
        this.repository = repository;
        this.repositories = repositories;
        this.files = files;
    }

    RepositoryId repository() {
        return repository;
    }

    /// The commit that was read; empty before there was one.
    String seen() {
        return seen;
    }

    /// Another number when another commit says something else of an application.
    long version() {
        return version;
    }

    /// Those that can be read and have a name, by path.
    Set<String> paths() {
        return Collections.unmodifiableSet(digests.keySet());
    }

    /// Of each field its length too, so that no two say the same together.
    static long digest(String name, String description, Map<String, String> labels) {
        var sha = sha256();
        add(sha, name);
        add(sha, description);
        new TreeMap<>(labels)
                .forEach((label, value) -> {
                    add(sha, label);
                    add(sha, value);
                });
        return ByteBuffer.wrap(sha.digest()).getLong();
    }

    private static void add(MessageDigest sha, String field) {
        var bytes = field.getBytes(StandardCharsets.UTF_8);
        sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        sha.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /// Whether there is such a file and it says something else.
    boolean differs(String path, long digest) {
        var found = digests.get(path);
        return found != null && found != digest;
    }

    Optional<About> about(String path) {
        try {
            return Optional.of(files.read(place(path), seen).config().about());
        } catch (Problem gone) {
            return Optional.empty();
        }
    }

    /// Reads what is new at the head as last fetched.
    void look() {
        var head = repositories.head(repository);
        if (head.isEmpty() || head.get().hash().equals(seen)) return;
        var hash = head.get().hash();
        var changed = new LinkedHashSet<String>();
        var known =
                !seen.isEmpty()
                        && repositories.eachChanged(
                                repository,
                                seen,
                                hash,
                                path -> {
                                    if (ApplicationConfig.isFileName(fileName(path)))
                                        changed.add(path);
                                });
        if (!known) {
            digests.clear();
            linked.clear();
        }
        linked.forEach((path, before) -> {
            if (!before.equals(files.behindLink(repository, hash, path))) changed.add(path);
        });
        if (!known || !changed.isEmpty()) {
            version++;
            var there = repositories.applicationConfigs(repository, hash);
            var still = known ? new HashSet<>(there) : Set.<String>of();
            changed.forEach(digests::remove);
            changed.forEach(linked::remove);
            changed.removeIf(path -> !still.contains(path));
            (known ? changed : there).forEach(path -> read(path, hash));
        }
        seen = hash;
    }

    private void read(String path, String hash) {
        // The protocol knows no application at the top of a repository.
        if (folder(path).length() < 2) return;
        var behind = files.behindLink(repository, hash, path);
        if (!behind.isEmpty()) linked.put(path, behind);
        try {
            var about = files.read(place(path), hash).config().about();
            if (about.name().isEmpty())
                log.info("{}: no name, so it is not suggested for registration", path);
            else digests.put(path, digest(about.name(), about.description(), about.labels()));
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
