// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.index.Index;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.process.Together;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Health;
import dev.pipecd.agent.source.History;
import dev.pipecd.agent.source.TouchRule;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.OnCommit;
import dev.pipecd.config.Loaded;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at repositories and opens deployments. One look at a repository at a time.
public final class Trigger {
    private static final Logger log = LoggerFactory.getLogger(Trigger.class);

    private static final int AT_ONCE = 64;

    private final History repositories;
    private final ApplicationFiles files;
    private final Applications applications;
    private final Index index;
    private final Openings openings;
    private final Notifier notifier;
    private final OutOfSync outOfSync;
    private final Syncs syncs;

    private final Faults faults;
    private final Map<RepositoryId, Object> looking = new ConcurrentHashMap<>();

    /// Where something waits for room, so that it is said once.
    private final Set<RepositoryId> crowded = ConcurrentHashMap.newKeySet();

    /// @param ask the control plane about a deployment
    public Trigger(
            History repositories,
            ApplicationFiles files,
            Applications applications,
            Outbox outbox,
            Openings openings,
            Notifier notifier,
            Function<DeploymentId, Optional<Deployment>> ask) {
        this.repositories = repositories;
        this.files = files;
        this.applications = applications;
        this.index = new Index(repositories, applications);
        this.openings = openings;
        this.notifier = notifier;
        this.faults = new Faults(applications, outbox, openings::now);
        this.outOfSync = new OutOfSync(files, ask);
        this.syncs = new Syncs(repositories, files, applications, outbox, openings);
    }

    /// Fetches the repository and opens a deployment for every application its head touches.
    public void look(RepositoryId repository) {
        look(repository, () -> false);
    }

    /// @param news whether there is something newer by now: what is left is due at the next look,
    ///   so that a small change does not wait for all that a big one before it concerns
    public void look(RepositoryId repository, BooleanSupplier news) {
        synchronized (looking.computeIfAbsent(repository, _ -> new Object())) {
            lookAlone(repository, news);
        }
    }

    /// Those of `all` that a commit which is no head may concern.
    public List<Application> mayConcern(
            RepositoryId repository, String commit, List<Application> all) {
        return index.mayConcern(repository, commit, all);
    }

    /// A repository that did not change costs a fetch, and a commit what it may concern.
    private void lookAlone(RepositoryId repository, BooleanSupplier news) {
        var look = index.look(repository);
        var head = fetch(repository);
        var concerned = look.concerned(head);
        outOfSync.concerned(concerned);
        var compared = 0;
        while (compared < concerned.size() && (compared == 0 || !news.getAsBoolean())) {
            // Each may lead to a deployment: what there is no room for stays due.
            var some = Math.min(AT_ONCE, openings.room());
            if (some == 0) {
                tellCrowded(repository, concerned.size() - compared);
                break;
            }
            var next = Math.min(compared + some, concerned.size());
            compare(concerned.subList(compared, next), id -> compare(id, look, head));
            compared = next;
        }
        if (compared == concerned.size()) crowded.remove(repository);
        look.end();
        faults.readable(repository);
        if (compared > 0)
            log.info(
                    "repository {}: {} application(s) compared with {}",
                    repository,
                    compared,
                    head.hash().substring(0, 8));
        applications.outOfSync(repository).forEach(a -> mend(a, head));
    }

    private void tellCrowded(RepositoryId repository, int left) {
        if (crowded.add(repository))
            log.warn(
                    "repository {}: {} application(s) are compared only when deployments have ended: as many go on as there is room for. Approve or cancel those that wait.",
                    repository,
                    left);
    }

    /// Together, so that those which are deployed share the disk's time.
    private void compare(List<ApplicationId> some, Consumer<ApplicationId> compare) {
        if (some.size() == 1) {
            compare.accept(some.getFirst());
            return;
        }
        try {
            // Where one breaks off it stays due; a fault of ours is told by the round.
            Together.each(openings.machine(), "compare", some, compare);
        } catch (InterruptedException e) {
            // The agent stops: the rest stays due.
            Thread.currentThread().interrupt();
        }
    }

    private void compare(ApplicationId id, Index.Look look, Commit head) {
        var known = applications.find(id);
        if (known.isEmpty()) return;
        var application = known.get();
        faults.compares(application);
        try {
            check(application, head).ifPresent(rules -> look.settle(application, head, rules));
        } catch (Problem problem) {
            if (Health.passes(problem)) {
                faults.unreadable(application, problem);
                return;
            }
            look.settle(application, head, List.of());
            sayAndNotify(application, head, problem);
        }
    }

    private void sayAndNotify(Application application, Commit head, Problem problem) {
        if (sayInvalid(application, problem))
            notifier.tell(
                    new Event.DeploymentTriggerFailed(
                            application, head.hash(), head.subject(), problem.told()));
    }

    private boolean sayInvalid(Application application, Problem problem) {
        return faults.invalid(application, "the configuration is not valid", problem.told());
    }

    /// A commit that breaks the file of an application which was deployed before leads to a
    /// deployment that fails with the reason. One that never was only says it of itself: it may be
    /// registered at the wrong place. False when it cannot be opened just now.
    private boolean unreadable(Application application, Commit head, Problem problem) {
        var rule = new TouchRule(places(application, head), List.of(), List.of(), false);
        if (lastTriggered(application).isEmpty()
                || !isOfTheFile(problem)
                || !touched(application, rule, head)) throw problem;
        sayInvalid(application, problem);
        var why = Why.commit(trace(application, rule, head));
        return openings.open(application, head, why, Terms.unreadable());
    }

    private static boolean isOfTheFile(Problem problem) {
        return problem.code() == Problem.Code.CONFIG_INVALID
                || problem.code() == Problem.Code.CONFIG_TOO_LARGE;
    }

    /// One that does not answer, or whose file cannot be read, does not keep the others from it.
    private void mend(Application application, Commit head) {
        try {
            if (openings.room() == 0 || !outOfSync.due(application, head, openings.now())) return;
            var file = files.read(application.getGitPath(), head.hash()).loaded();
            log.info("application {} is out of sync and deployed again", application.getName());
            openings.open(application, head, Why.outOfSync(Trace.of(head)), Terms.of(file));
        } catch (Problem problem) {
            log.debug("application {}: {}", application.getName(), problem.told());
        }
    }

    private Commit fetch(RepositoryId repository) {
        try {
            return repositories.fetch(repository);
        } catch (Problem problem) {
            faults.unreadable(repository, problem);
            throw problem;
        }
    }

    /// Answers what the file says of commits, which is nothing when it cannot be read. Empty when
    /// it stays due: what it leads to cannot be opened just now.
    private Optional<List<OnCommit>> check(Application application, Commit head) {
        Loaded<ApplicationConfig> file;
        try {
            file = files.read(application.getGitPath(), head.hash()).loaded();
        } catch (Problem problem) {
            return unreadable(application, head, problem)
                    ? Optional.of(List.of())
                    : Optional.empty();
        }
        warn(application, file);
        var on = file.value().trigger().onCommit();
        var rule =
                new TouchRule(
                        places(application, head), on.paths(), on.ignores(), on.ignoresByCommit());
        if (!on.disabled() && touched(application, rule, head)) {
            var why = Why.commit(trace(application, rule, head));
            if (!openings.open(application, head, why, Terms.of(file))) return Optional.empty();
            faults.opened(application);
        } else {
            faults.valid(application);
        }
        return Optional.of(List.of(on));
    }

    /// What the public system ignores without a word is told, once per commit.
    private static void warn(Application application, Loaded<ApplicationConfig> file) {
        file.warnings().forEach(w -> log.warn("application {}: {}", application.getName(), w));
    }

    private boolean touched(Application application, TouchRule rule, Commit head) {
        var last = lastTriggered(application);
        if (last.isEmpty()) return true;
        if (last.equals(head.hash())) return false;
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        return switch (repositories.changedFiles(repository, last, head.hash(), rule.reach())) {
            case ChangedFiles.Changed(var paths) -> rule.touches(paths);
            case ChangedFiles.HistoryRewritten() -> {
                log.info(
                        "history of {} was rewritten; {} is deployed anew",
                        repository,
                        application.getName());
                yield true;
            }
        };
    }

    private List<String> places(Application application, Commit head) {
        return ApplicationFiles.places(repositories, application.getGitPath(), head.hash());
    }

    /// Of one that was never deployed, or from a history that is gone, only the head can be asked.
    private String trace(Application application, TouchRule rule, Commit head) {
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        var last = lastTriggered(application);
        var pushed =
                last.isEmpty()
                        ? List.<Commit>of()
                        : repositories.since(repository, last, head.hash());
        return pushed.isEmpty()
                ? Trace.of(head)
                : Trace.of(
                        pushed,
                        commit ->
                                rule.touches(
                                        repositories.changedBy(
                                                repository, last, commit.hash(), rule.reach())));
    }

    /// An application of a repository that nobody looks at would wait in silence.
    public void tellStrays() {
        var watched = repositories.health().keySet();
        for (var stray : applications.takeStrays(watched))
            faults.invalid(
                    stray,
                    "the agent does not watch its repository",
                    "repository: \"%s\" (expected: one of %s). Add it to `repositories` of the agent's configuration, or correct the application."
                            .formatted(stray.getGitPath().getRepo().getId(), watched));
    }

    /// A person or a chain orders it. False when it cannot be carried out just now.
    public boolean sync(Command command) {
        return syncs.sync(command);
    }

    private static String lastTriggered(Application application) {
        return application.getMostRecentlyTriggeredDeployment().getTrigger().getCommit().getHash();
    }
}
