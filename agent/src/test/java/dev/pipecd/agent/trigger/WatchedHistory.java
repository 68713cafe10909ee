// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Health;
import dev.pipecd.agent.source.History;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.ObjectId;

/// A real history that counts how often a file is looked for, and may fail to find it.
final class WatchedHistory implements History {
    final AtomicInteger looked = new AtomicInteger();

    /// So many more looks at files fail as when a mirror is damaged.
    final AtomicInteger failing = new AtomicInteger();

    /// Thrown by each fetch.
    final AtomicReference<Optional<Problem>> away = new AtomicReference<>(Optional.empty());

    private final History history;

    WatchedHistory(History history) {
        this.history = history;
    }

    @Override
    public Commit fetch(RepositoryId id) {
        away.get()
                .ifPresent(problem -> {
                    throw problem;
                });
        return history.fetch(id);
    }

    @Override
    public Optional<Commit> head(RepositoryId id) {
        return history.head(id);
    }

    @Override
    public ChangedFiles changedFiles(
            RepositoryId id, String from, String to, List<String> folders) {
        return history.changedFiles(id, from, to, folders);
    }

    @Override
    public boolean eachChanged(RepositoryId id, String from, String to, Consumer<String> path) {
        return history.eachChanged(id, from, to, path);
    }

    @Override
    public List<Commit> since(RepositoryId id, String from, String to) {
        return history.since(id, from, to);
    }

    @Override
    public List<String> changedBy(RepositoryId id, String from, String hash, List<String> folders) {
        return history.changedBy(id, from, hash, folders);
    }

    @Override
    public List<String> way(RepositoryId id, String hash, String path) {
        return history.way(id, hash, path);
    }

    @Override
    public Optional<ObjectId> content(RepositoryId id, String hash, String path) {
        looked.incrementAndGet();
        if (failing.getAndUpdate(left -> Math.max(0, left - 1)) > 0)
            throw new Problem(
                    Problem.Code.REPOSITORY_UNREACHABLE,
                    "mirror of demo: planted (expected: a readable mirror)",
                    "");
        return history.content(id, hash, path);
    }

    @Override
    public byte[] content(RepositoryId id, ObjectId content, String path, int maxBytes) {
        return history.content(id, content, path, maxBytes);
    }

    @Override
    public String commitUrl(RepositoryId id, String hash) {
        return history.commitUrl(id, hash);
    }

    @Override
    public Path folder(RepositoryId id) {
        return history.folder(id);
    }

    @Override
    public Map<RepositoryId, Health> health() {
        return history.health();
    }
}
