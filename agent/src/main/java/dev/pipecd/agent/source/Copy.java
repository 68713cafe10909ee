// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.disk.StaleLocks;
import dev.pipecd.agent.source.tree.Trees;
import dev.pipecd.domain.Problem;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.ZipException;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.PackInvalidException;
import org.eclipse.jgit.errors.PackMismatchException;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a mirror has on our disk: read in process by many at a time, and replaced whole.
final class Copy implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Copy.class);

    private final Path directory;
    private final Repository repository;
    private final Trouble trouble;
    private final Supplier<String> whyNone;
    private final ReentrantReadWriteLock replacing = new ReentrantReadWriteLock();
    private final Trees trees = new Trees();
    private volatile boolean damaged;
    private org.eclipse.jgit.lib.@Nullable Repository open;

    /// `directory` is ours alone: whatever lock lies there was left by a process that died.
    ///
    /// @param whyNone tells why nothing is there yet
    Copy(Path directory, Repository repository, Trouble trouble, Supplier<String> whyNone) {
        this.directory = directory;
        this.repository = repository;
        this.trouble = trouble;
        this.whyNone = whyNone;
        removeLocks();
    }

    Path directory() {
        return directory;
    }

    boolean isThere() {
        return Files.exists(directory.resolve("HEAD"));
    }

    boolean isShallow() {
        return Files.exists(directory.resolve("shallow"));
    }

    /// Whether something could not be read of it since it was made.
    boolean isDamaged() {
        return damaged;
    }

    boolean holds(String commit) {
        return isThere() && read(objects -> objects.contains(commit));
    }

    /// The same, and false when it cannot be read, whatever is wrong with it.
    boolean isRead(Reading<Boolean> reading) {
        try {
            return !damaged && isThere() && read(reading);
        } catch (Problem _) {
            return false;
        }
    }

    /// What cannot be read is a `Problem`, and makes it a damaged one.
    <T> T read(Reading<T> reading) {
        replacing.readLock().lock();
        try {
            return reading.from(new GitObjects(opened(), trees));
        } catch (MissingObjectException
                | CorruptObjectException
                | IncorrectObjectTypeException
                | PackInvalidException
                | PackMismatchException
                | ZipException
                | EOFException e) {
            damaged = true;
            throw new Problem(
                    Problem.Code.REPOSITORY_UNREACHABLE,
                    "mirror of %s: %s (expected: a readable mirror)"
                            .formatted(repository.id(), e.getMessage()),
                    "The agent clones it again at the next fetch; nothing is to be done unless this"
                            + " comes back, which points to a failing disk.",
                    e);
        } catch (IOException e) {
            throw trouble.unusable(e);
        } finally {
            replacing.readLock().unlock();
        }
    }

    /// Does something to it that no other may take the place of meanwhile.
    <T> T held(Supplier<T> work) {
        replacing.readLock().lock();
        try {
            return work.get();
        } finally {
            replacing.readLock().unlock();
        }
    }

    /// Whoever reads, reads the old one until the new one is filled.
    void replace(Remote remote, Consumer<Path> fill) {
        var half = directory.resolveSibling(Folder.HALF_MADE + directory.getFileName());
        var old = directory.resolveSibling(Folder.HALF_MADE + "old-" + directory.getFileName());
        try {
            Folder.delete(half);
            trouble.unless(remote, trouble.git().init(half));
            fill.accept(half);
            if (isThere()) keepNamed(half);
            replacing.writeLock().lock();
            try {
                closeOpened();
                Folder.delete(old);
                if (Files.exists(directory)) Files.move(directory, old);
                Folder.publish(half, directory);
                damaged = false;
            } finally {
                replacing.writeLock().unlock();
            }
            Folder.delete(old);
        } catch (IOException e) {
            throw trouble.unusable(e);
        } finally {
            discard(half);
        }
    }

    /// The server may have forgotten since what was asked of it by its name. What cannot be read is
    /// left behind.
    private void keepNamed(Path half) {
        if (kept(half, "*")) return;
        try {
            for (var commit : read(GitObjects::named)) kept(half, commit);
        } catch (Problem e) {
            log.info("commits are not kept repository={} cause={}", repository.id(), e.message());
        }
    }

    private boolean kept(Path half, String commit) {
        var older = new Remote(directory.toAbsolutePath().toString());
        return trouble.git().fetchKept(half, older, commit) instanceof GitBinary.Ending.Done;
    }

    void pack() {
        if (trouble.git().pack(directory) instanceof GitBinary.Ending.Failed failed) {
            removeLocks();
            log.info(
                    "mirror is not packed repository={} cause=\"{}\"",
                    repository.id(),
                    failed.said());
        }
    }

    /// To be called only while no git process works on it.
    void removeLocks() {
        StaleLocks.remove(directory);
    }

    @Override
    public void close() {
        replacing.writeLock().lock();
        try {
            closeOpened();
        } finally {
            replacing.writeLock().unlock();
        }
    }

    private static void discard(Path half) {
        try {
            Folder.delete(half);
        } catch (IOException e) {
            log.warn("half-made clone stays until the next start folder={}", half, e);
        }
    }

    private synchronized org.eclipse.jgit.lib.Repository opened() throws IOException {
        if (open == null) {
            if (!isThere()) throw notCloned();
            open = new FileRepositoryBuilder().setGitDir(directory.toFile()).setBare().build();
        }
        return open;
    }

    private Problem notCloned() {
        return new Problem(
                Problem.Code.REPOSITORY_UNREACHABLE,
                "repository %s: no mirror yet (expected: a first fetch)".formatted(repository.id()),
                whyNone.get());
    }

    private synchronized void closeOpened() {
        if (open != null) open.close();
        open = null;
        trees.forgetRoots();
    }

    /// Something to be read.
    @FunctionalInterface
    interface Reading<T> {
        T from(GitObjects objects) throws IOException;
    }
}
