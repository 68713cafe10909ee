// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.Copy.Reading;
import dev.pipecd.agent.source.GitBinary.Ending;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Our bare copy of one repository: fetched, mended when damaged, and read.
final class Mirror implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Mirror.class);
    private static final Duration BETWEEN_MENDINGS = Duration.ofMinutes(10);
    private static final Duration BETWEEN_QUESTIONS = Duration.ofSeconds(60);
    private static final int FETCHES_BETWEEN_PACKINGS = 50;
    private static final String UNREADABLE = "it cannot be read";

    /// More names would not fit into one command.
    private static final int MOST_NAMED = 500;

    private final Copy copy;
    private final Repository repository;
    private final GitBinary git;
    private final InstantSource clock;
    private final Trouble trouble;
    private final Fetching fetching;
    private final AtomicLong begun = new AtomicLong();
    private volatile Health health = new Health.NotFetchedYet();
    private final Set<String> absent = ConcurrentHashMap.newKeySet();

    /// What somebody waits for who has not been told yet.
    private final Set<String> wanted = ConcurrentHashMap.newKeySet();

    private final Unanswered unanswered;
    private boolean cutOff;
    private Instant mendedAt = Instant.EPOCH;

    /// `directory` is ours alone: whatever lock lies there was left by a process that died.
    ///
    /// @param whose the repository as people are told of it
    Mirror(
            Path directory,
            Repository repository,
            GitBinary git,
            InstantSource clock,
            String whose) {
        this.repository = repository;
        this.git = git;
        this.clock = clock;
        this.trouble = new Trouble(whose, git);
        this.copy = new Copy(directory, repository, trouble, this::whyNone);
        this.fetching = new Fetching(repository, trouble);
        this.unanswered = new Unanswered(clock);
    }

    private String whyNone() {
        return health instanceof Health.Failing failing ? failing.problem().told() : "";
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
            var head = refresh(remote());
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
        if (!copy.isThere()) {
            var _ = fetch();
            if (holds(commit)) return true;
        }
        if (!GitObjects.isHash(commit) || absent.contains(commit)) return false;
        wanted.add(commit);
        try {
            return fetching.alone(() -> askOnce(commit));
        } finally {
            wanted.remove(commit);
        }
    }

    private boolean askOnce(String commit) {
        // Many may have waited here for the same one.
        if (copy.holds(commit)) return true;
        if (absent.contains(commit)) return false;
        if (unanswered.asking(BETWEEN_QUESTIONS, () -> askTogether(commit) || askAndMend(commit)))
            return true;
        absent.add(commit);
        return false;
    }

    /// With what others wait for, too: a new deployment of each of many applications asks for
    /// another commit. Where one of them is not to be had, each is asked for alone.
    private boolean askTogether(String commit) {
        if (!wanted.remove(commit)) return false;
        var all = new ArrayList<>(List.of(commit));
        wanted.stream().filter(one -> !copy.holds(one)).limit(MOST_NAMED).forEach(all::add);
        all.forEach(wanted::remove);
        if (all.size() == 1) return false;
        var remote = remote();
        var ending = named(remote, all, copy.isShallow());
        if (!(ending instanceof Ending.Failed)) trouble.unless(remote, ending);
        return copy.holds(commit);
    }

    /// False when the remote has no such commit.
    private boolean askAndMend(String commit) {
        var remote = remote();
        var ending = asked(remote, commit, copy.isShallow());
        if (ending instanceof Ending.Failed failed
                && !Complaint.isAboutDisk(failed)
                && mayMend()
                && git.look(remote) instanceof Ending.Done) {
            // The remote answers, so the fault is on our side.
            mend(remote, failed.said());
            if (copy.holds(commit)) return true;
            ending = asked(remote, commit, copy.isShallow());
        }
        trouble.unless(remote, ending);
        return copy.holds(commit);
    }

    /// Done when the remote was understood, whether it has the commit or not.
    private Ending asked(Remote remote, String commit, boolean alone) {
        var one = named(remote, List.of(commit), alone);
        if (one instanceof Ending.Done && !copy.holds(commit))
            return new Ending.Failed("commit %s is there and cannot be read".formatted(commit));
        if (!(one instanceof Ending.Failed)
                || Complaint.isAboutDisk(one)
                || Complaint.isAboutMirror(one)) return one;
        // Some servers give only what a branch or tag leads to.
        copy.removeLocks();
        return git.fetchWhole(copy.directory(), remote, copy.isShallow());
    }

    private Ending named(Remote remote, List<String> commits, boolean alone) {
        return git.fetchNamed(copy.directory(), remote, commits, alone);
    }

    /// The same of a mirror that is never fetched whole: it holds what was asked for, and nothing
    /// once it was damaged. What it holds waits for no fetch of another commit. A server that did
    /// not answer is asked `again` after so long.
    boolean bring(String commit, Duration again) {
        return copy.isRead(objects -> objects.keeps(commit))
                || fetching.alone(() ->
                        copy.isRead(objects -> objects.contains(commit))
                                || unanswered.asking(again, () -> bringNow(commit)));
    }

    private boolean bringNow(String commit) {
        var remote = remote();
        // A fetch, which may be long, would wait much longer for a server that is away.
        trouble.unless(remote, git.look(remote));
        if (copy.isDamaged() || !copy.isThere()) copy.replace(remote, _ -> {});
        if (!GitObjects.isHash(commit)) return false;
        var ending = asked(remote, commit, true);
        // All its other commits go with it: a full disk or a slow server is no reason.
        if (Complaint.isAboutMirror(ending)) {
            copy.replace(remote, _ -> {});
            ending = asked(remote, commit, true);
        }
        trouble.unless(remote, ending);
        return copy.holds(commit);
    }

    /// Fetches what is before the first commits of a mirror that was not cloned whole.
    void deepen() {
        if (isShallow()) fetching.alone(this::deepenNow);
    }

    private boolean deepenNow() {
        var remote = remote();
        if (isShallow()) trouble.unless(remote, git.fetchWhole(copy.directory(), remote, true));
        return true;
    }

    boolean isShallow() {
        return copy.isShallow();
    }

    /// Whether it is here already; nobody is asked for it unless the mirror is damaged.
    boolean holds(String commit) {
        return copy.isThere() && read(objects -> objects.contains(commit));
    }

    /// Sends a commit that was written here; a `Problem` when nobody answers.
    Draft.Push push(String commit, String branch) {
        return copy.held(() -> {
            var remote = remote();
            var ending = git.push(copy.directory(), remote, commit, branch);
            if (ending instanceof Ending.Failed failed && failed.isMoved())
                return new Draft.Moved();
            if (ending instanceof Ending.Failed failed && failed.isRefused())
                return new Draft.Refused(failed.refusal());
            trouble.unless(remote, ending);
            return new Draft.Done();
        });
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
        return copy.directory();
    }

    Repository repository() {
        return repository;
    }

    /// Reads in process. What cannot be read because the mirror is damaged is read once more when
    /// it was cloned anew.
    <T> T read(Reading<T> reading) {
        return read(() -> {}, reading);
    }

    /// The same of a commit, which is brought from the remote where the mirror lacks it, as one
    /// that was cloned anew may.
    <T> T read(String commit, Reading<T> reading) {
        return read(() -> reaches(commit), reading);
    }

    private <T> T read(Runnable before, Reading<T> reading) {
        before.run();
        try {
            return copy.read(reading);
        } catch (Problem e) {
            if (copy.isDamaged()) fetching.alone(() -> mended(e));
            else if (!mayBeReplaced(e)) throw e;
            before.run();
            return copy.read(reading);
        }
    }

    /// The same of a mirror that is never fetched whole; nothing when the remote has no such
    /// commit.
    <T> Optional<T> read(String commit, Duration again, Reading<T> reading) {
        if (!bring(commit, again)) return Optional.empty();
        try {
            return Optional.of(copy.read(reading));
        } catch (Problem e) {
            if (!copy.isDamaged() && !mayBeReplaced(e)) throw e;
            return bring(commit, again) ? Optional.of(copy.read(reading)) : Optional.empty();
        }
    }

    /// What was there a moment ago is not, where somebody else found damage meanwhile.
    private static boolean mayBeReplaced(Problem problem) {
        return problem.code() == Problem.Code.NOT_FOUND;
    }

    /// Many may have found the damage, and wait here for who mends it.
    private boolean mended(Problem damage) {
        return !copy.isDamaged() || unanswered.asking(BETWEEN_QUESTIONS, () -> mendNow(damage));
    }

    private boolean mendNow(Problem damage) {
        if (!mayMend()) throw damage;
        var remote = remote();
        // A clone, which may be long, would wait much longer for a server that is away.
        trouble.unless(remote, git.look(remote));
        mend(remote, damage.message());
        return true;
    }

    @Override
    public void close() {
        fetching.close();
        copy.close();
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
        if (!copy.isThere()) {
            cloneAnew(remote);
            return existingHead(remote);
        }
        fetchInto(remote);
        if (copy.isDamaged() && mayMend()) mend(remote, UNREADABLE);
        try {
            return existingHead(remote);
        } catch (Problem e) {
            if (!copy.isDamaged() || !mayMend()) throw e;
            mend(remote, UNREADABLE);
            return existingHead(remote);
        }
    }

    private void fetchInto(Remote remote) {
        var mirror = copy.directory();
        var first = cutOff ? git.fetchAll(mirror, remote, 0) : git.fetchNew(mirror, remote);
        // What did not come in time would not come in the same time again.
        cutOff = first instanceof Ending.TimedOut;
        if (first instanceof Ending.Done) {
            if (begun.get() % FETCHES_BETWEEN_PACKINGS == 0) copy.pack();
            return;
        }
        // Also what a fetch that found no room has left: it takes the room of the next.
        copy.removeLocks();
        if (Complaint.isAboutDisk(first)) trouble.unless(remote, first);
        trouble.unless(remote, first instanceof Ending.Failed ? git.look(remote) : first);
        // The remote answers, so the fault is on our side: a lock left behind, or a damaged mirror.
        var second = git.fetchNew(mirror, remote);
        if (second instanceof Ending.Failed failed) {
            copy.removeLocks();
            if (mayMend()) {
                mend(remote, failed.said());
                return;
            }
        }
        trouble.unless(remote, second);
    }

    private boolean mayMend() {
        return Unanswered.isOver(mendedAt, BETWEEN_MENDINGS, clock.instant());
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
        copy.replace(
                remote,
                half -> trouble.unless(remote, git.fetchAll(half, remote, repository.depth())));
    }

    private Commit existingHead(Remote remote) {
        return copy.read(objects -> objects.headOf(repository.branch()))
                .orElseThrow(() ->
                        trouble.noHead(
                                remote, repository.branch(), copy.read(GitObjects::branches)));
    }

    private Remote remote() {
        return new Remote(repository.remote());
    }
}
