// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.GitBinary.Ending;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.disk.StaleLocks;
import dev.pipecd.agent.source.tree.Trees;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Our bare copy of one repository: fetched, mended when damaged, and read.
final class Mirror implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Mirror.class);
    private static final Duration BETWEEN_MENDINGS = Duration.ofMinutes(10);
    private static final Duration BETWEEN_QUESTIONS = Duration.ofSeconds(60);
    private static final int FETCHES_BETWEEN_PACKINGS = 50;

    private final Path directory;
    private final Repository repository;
    private final GitBinary git;
    private final InstantSource clock;
    private final Trouble trouble;
    private final Fetching fetching;
    private final ReentrantReadWriteLock replacing = new ReentrantReadWriteLock();
    private final Trees trees = new Trees();
    private final AtomicLong begun = new AtomicLong();
    private volatile Health health = new Health.NotFetchedYet();
    private volatile boolean damaged;
    private final Set<String> absent = ConcurrentHashMap.newKeySet();
    private final Unanswered unanswered;
    private boolean cutOff;
    private Instant mendedAt = Instant.EPOCH;
    private org.eclipse.jgit.lib.@Nullable Repository open;

    /// `directory` is ours alone: whatever lock lies there was left by a process that died.
    ///
    /// @param whose the repository as people are told of it
    Mirror(
            Path directory,
            Repository repository,
            GitBinary git,
            InstantSource clock,
            String whose) {
        this.directory = directory;
        this.repository = repository;
        this.git = git;
        this.clock = clock;
        this.trouble = new Trouble(whose, git);
        this.fetching = new Fetching(repository, trouble);
        this.unanswered = new Unanswered(clock);
        StaleLocks.remove(directory);
    }

    /// Brings the mirror up to date. Whoever asks while a fetch runs shares the one that follows
    /// it: the running one may have begun before the push they were told about.
    Commit fetch() {
        var asked = begun.get();
        return fetching.alone(() -> begun.get() > asked ? shared() : fetchNow());
    }

    private Commit fetchNow() {
        begun.incrementAndGet();
        absent.clear();
        unanswered.forget();
        try {
            var head = refresh(new Remote(repository.remote()));
            health = new Health.Fetched(head, clock.instant());
            return head;
        } catch (Problem e) {
            var since =
                    health instanceof Health.Failing failing ? failing.since() : clock.instant();
            health = new Health.Failing(e, since);
            throw e;
        }
    }

    /// Whether a commit can be read here. One that a mirror lacks, because it was not cloned whole
    /// or because no branch led to it any more when it was, is asked for by its name, once between
    /// two fetches: whoever asks, the server gives the same answer. After a lost disk deployments
    /// go on while the first clone is made: they wait for it.
    boolean reaches(String commit) {
        if (holds(commit)) return true;
        if (!isThere()) {
            var _ = fetch();
            if (holds(commit)) return true;
        }
        return !absent.contains(commit) && fetching.alone(() -> askOnce(commit));
    }

    private boolean askOnce(String commit) {
        // Many may have waited here for the same one.
        if (absent.contains(commit)) return false;
        if (unanswered.asking(BETWEEN_QUESTIONS, () -> ask(commit, isShallow()))) return true;
        absent.add(commit);
        return false;
    }

    /// The same of a mirror that is never fetched whole: it holds what was asked for, and nothing
    /// once it was damaged. What it holds waits for no fetch of another commit. A server that did
    /// not answer is asked `again` after so long.
    boolean bring(String commit, Duration again) {
        return isRead(objects -> objects.keeps(commit))
                || fetching.alone(() ->
                        isRead(objects -> objects.contains(commit))
                                || unanswered.asking(again, () -> bringNow(commit)));
    }

    private boolean bringNow(String commit) {
        var remote = new Remote(repository.remote());
        // A fetch, which may be long, would wait much longer for a server that is away.
        trouble.unless(remote, git.look(remote));
        try {
            if (damaged || !isThere()) replace(remote, _ -> {});
            return ask(commit, true);
        } catch (Problem e) {
            if (!(git.look(remote) instanceof Ending.Done)) throw e;
            // The remote answers, so the fault is on our side.
            replace(remote, _ -> {});
            return ask(commit, true);
        }
    }

    private boolean isRead(Reading<Boolean> reading) {
        try {
            return !damaged && isThere() && read(reading);
        } catch (Problem _) {
            // Whatever is wrong with it, whoever brings it finds out.
            return false;
        }
    }

    /// False when the remote has no such commit.
    private boolean ask(String commit, boolean alone) {
        if (holds(commit)) return true;
        if (!GitObjects.isHash(commit)) return false;
        var remote = new Remote(repository.remote());
        var one = git.fetchOne(directory, remote, commit, alone);
        // Some servers give only what a branch or tag leads to.
        if (one instanceof Ending.Failed && !Complaint.isAboutDisk(one))
            one = git.fetchWhole(directory, remote, isShallow());
        trouble.unless(remote, one);
        return holds(commit);
    }

    /// Fetches what is before the first commits of a mirror that was not cloned whole.
    void deepen() {
        if (isShallow()) fetching.alone(this::deepenNow);
    }

    private boolean deepenNow() {
        var remote = new Remote(repository.remote());
        if (isShallow()) trouble.unless(remote, git.fetchWhole(directory, remote, true));
        return true;
    }

    boolean isShallow() {
        return Files.exists(directory.resolve("shallow"));
    }

    /// Whether it is here already; nobody is asked for it.
    boolean holds(String commit) {
        return isThere() && read(objects -> objects.contains(commit));
    }

    private boolean isThere() {
        return Files.exists(directory.resolve("HEAD"));
    }

    /// Sends a commit that was written here; a `Problem` when nobody answers.
    Draft.Push push(String commit, String branch) {
        var remote = new Remote(repository.remote());
        replacing.readLock().lock();
        try {
            var ending = git.push(directory, remote, commit, branch);
            if (ending instanceof Ending.Failed failed && failed.isMoved())
                return new Draft.Moved();
            if (ending instanceof Ending.Failed failed && failed.isRefused())
                return new Draft.Refused(failed.refusal());
            trouble.unless(remote, ending);
            return new Draft.Done();
        } finally {
            replacing.readLock().unlock();
        }
    }

    Optional<Commit> head() {
        return read(objects -> objects.headOf(repository.branch()));
    }

    Health health() {
        return health;
    }

    /// How many callers wait for the fetch after the running one.
    int waiting() {
        return fetching.waiting();
    }

    Problem unusable(IOException cause) {
        return trouble.unusable(cause);
    }

    Path directory() {
        return directory;
    }

    Repository repository() {
        return repository;
    }

    /// Reads in process; what cannot be read makes the next fetch clone anew.
    <T> T read(Reading<T> reading) {
        replacing.readLock().lock();
        try {
            return reading.from(new GitObjects(opened(), trees));
        } catch (MissingObjectException | CorruptObjectException | IncorrectObjectTypeException e) {
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

    @Override
    public void close() {
        fetching.close();
        replacing.writeLock().lock();
        try {
            closeOpened();
        } finally {
            replacing.writeLock().unlock();
        }
    }

    private Commit shared() {
        return switch (health) {
            case Health.Fetched(var head, _) -> head;
            case Health.Failing(var problem, _) -> throw problem;
            case Health.NotFetchedYet() ->
                    throw new IllegalStateException("a fetch left no result");
        };
    }

    private Commit refresh(Remote remote) {
        if (!isThere()) {
            cloneAnew(remote);
            return existingHead(remote);
        }
        fetchInto(remote);
        if (!damaged) {
            try {
                return existingHead(remote);
            } catch (Problem e) {
                if (!damaged) throw e;
            }
        }
        mend(remote, "it cannot be read");
        return existingHead(remote);
    }

    private void fetchInto(Remote remote) {
        var first = cutOff ? git.fetchAll(directory, remote, 0) : git.fetchNew(directory, remote);
        // What did not come in time would not come in the same time again.
        cutOff = first instanceof Ending.TimedOut;
        if (first instanceof Ending.Done) {
            if (begun.get() % FETCHES_BETWEEN_PACKINGS == 0) pack();
            return;
        }
        // Also what a fetch that found no room has left: it takes the room of the next.
        StaleLocks.remove(directory);
        if (Complaint.isAboutDisk(first)) trouble.unless(remote, first);
        trouble.unless(remote, first instanceof Ending.Failed ? git.look(remote) : first);
        // The remote answers, so the fault is on our side: a lock left behind, or a damaged mirror.
        var second = git.fetchNew(directory, remote);
        if (second instanceof Ending.Failed failed) {
            StaleLocks.remove(directory);
            if (!clock.instant().isBefore(mendedAt.plus(BETWEEN_MENDINGS))) {
                mend(remote, failed.said());
                return;
            }
        }
        trouble.unless(remote, second);
    }

    private void mend(Remote remote, String why) {
        log.warn(
                "mirror is damaged and cloned again repository={} cause=\"{}\"",
                repository.id(),
                why);
        mendedAt = clock.instant();
        cloneAnew(remote);
    }

    private void cloneAnew(Remote remote) {
        replace(
                remote,
                half -> trouble.unless(remote, git.fetchAll(half, remote, repository.depth())));
    }

    private void replace(Remote remote, Consumer<Path> fill) {
        var half = directory.resolveSibling(Folder.HALF_MADE + directory.getFileName());
        var old = directory.resolveSibling(Folder.HALF_MADE + "old-" + directory.getFileName());
        try {
            Folder.delete(half);
            trouble.unless(remote, git.init(half));
            fill.accept(half);
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

    private static void discard(Path half) {
        try {
            Folder.delete(half);
        } catch (IOException e) {
            log.warn("half-made clone stays until the next start folder={}", half, e);
        }
    }

    private Commit existingHead(Remote remote) {
        return head().orElseThrow(() ->
                trouble.noHead(remote, repository.branch(), read(GitObjects::branches)));
    }

    private void pack() {
        if (git.pack(directory) instanceof Ending.Failed failed) {
            StaleLocks.remove(directory);
            log.info(
                    "mirror is not packed repository={} cause=\"{}\"",
                    repository.id(),
                    failed.said());
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
                health instanceof Health.Failing failing ? failing.problem().told() : "");
    }

    private synchronized void closeOpened() {
        if (open != null) open.close();
        open = null;
        trees.forgetRoots();
    }

    /// Something to be read of a mirror.
    @FunctionalInterface
    interface Reading<T> {
        T from(GitObjects objects) throws IOException;
    }
}
