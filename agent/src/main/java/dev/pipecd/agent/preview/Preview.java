// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.PlanPreviews.Change;
import dev.pipecd.agent.process.Apart;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.TouchRule;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.Command.BuildPlanPreview;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PluginPlanPreviewResult;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells what merging a change would do to each application it touches.
public final class Preview {
    private static final Logger log = LoggerFactory.getLogger(Preview.class);
    private static final int AT_ONCE = 8;

    /// Whoever reads results knows by this that the plugins could not be found out.
    private static final String UNKNOWN_PLUGIN = "<unknown>";

    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Applications applications;
    private final Narrowing narrowing;
    private final Asking asking;
    private final InstantSource clock;

    public Preview(
            Repositories repositories,
            ApplicationFiles files,
            Applications applications,
            Narrowing narrowing,
            Asking asking,
            InstantSource clock) {
        this.repositories = repositories;
        this.files = files;
        this.applications = applications;
        this.narrowing = narrowing;
        this.asking = asking;
        this.clock = clock;
    }

    /// Leaves out of `all` applications those that a commit cannot concern: of thousands only a few
    /// files have to be read.
    @FunctionalInterface
    public interface Narrowing {
        List<Application> mayConcern(RepositoryId repository, String commit, List<Application> all);
    }

    /// A result for each application that the merged change would deploy. Throws a `Problem` when
    /// the change cannot be looked at; what is wrong with one application is in its result.
    List<ApplicationPlanPreviewResult> of(BuildPlanPreview asked) throws InterruptedException {
        var repository = new RepositoryId(asked.getRepositoryId());
        var base = repositories.fetch(repository);
        var merged = merged(repository, base, asked);
        var change = repositories.changedFiles(repository, base.hash(), merged.hash());
        var places = new Semaphore(AT_ONCE);
        var gathered = new Gathered();
        var tasks = new ArrayList<Callable<Integer>>();
        for (var application : touched(repository, merged, change)) {
            var place = tasks.size();
            tasks.add(() -> {
                places.acquire();
                try {
                    gathered.add(place, ofApplication(application, merged, asked));
                    return place;
                } finally {
                    places.release();
                }
            });
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            // An interrupt ends all of them.
            for (var answer : threads.invokeAll(tasks)) Apart.answered(answer);
            return gathered.all();
        }
    }

    private Commit merged(RepositoryId repository, Commit base, BuildPlanPreview asked) {
        if (!base.branch().equals(asked.getBaseBranch()))
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "base branch: \"%s\" (expected: \"%s\", which this agent deploys)"
                            .formatted(asked.getBaseBranch(), base.branch()),
                    "Ask for a preview of a change to that branch.");
        var change = asked.getHeadCommit();
        if (!repositories.contains(repository, change))
            throw new Problem(
                    Problem.Code.NOT_FOUND,
                    "head commit: \"%s\" of branch %s (expected: a commit of repository %s)"
                            .formatted(change, asked.getHeadBranch(), repository),
                    "Push the branch to the repository that the agent watches, and ask again.");
        return repositories.merged(repository, base.hash(), change);
    }

    private ApplicationPlanPreviewResult ofApplication(
            Application application, Commit merged, BuildPlanPreview asked)
            throws InterruptedException {
        var result = begun(application, asked);
        try {
            var _ = files.read(application.getGitPath(), merged.hash());
            plan(application, merged, result);
        } catch (Problem problem) {
            fail(result, problem.told());
        } catch (RuntimeException e) {
            log.error("preview of {}: an internal fault", application.getName(), e);
            fail(result, "an internal fault of the agent; see its log");
        }
        return result.build();
    }

    private static void fail(ApplicationPlanPreviewResult.Builder result, String why) {
        if (result.getPluginNamesCount() == 0) result.addPluginNames(UNKNOWN_PLUGIN);
        result.setError(why);
    }

    @SuppressWarnings("deprecation") // the public protocol still carries the kind
    private ApplicationPlanPreviewResult.Builder begun(
            Application application, BuildPlanPreview asked) {
        return ApplicationPlanPreviewResult.newBuilder()
                .setApplicationId(application.getId())
                .setApplicationName(application.getName())
                .setApplicationKind(application.getKind())
                .setApplicationDirectory(application.getGitPath().getPath())
                .setPipedId(application.getPipedId())
                .setProjectId(application.getProjectId())
                .putAllLabels(application.getLabelsMap())
                .setHeadBranch(asked.getHeadBranch())
                .setHeadCommit(asked.getHeadCommit())
                .setCreatedAt(clock.instant().getEpochSecond());
    }

    private List<Application> touched(RepositoryId repository, Commit merged, ChangedFiles change)
            throws InterruptedException {
        var here =
                applications
                        .all()
                        .filter(a -> a.getGitPath().getRepo().getId().equals(repository.value()))
                        .toList();
        var touched = new ArrayList<Application>();
        for (var application : narrowing.mayConcern(repository, merged.hash(), here)) {
            if (Thread.interrupted()) throw new InterruptedException();
            if (touched(application, merged, change)) touched.add(application);
        }
        return touched;
    }

    /// The rule by which the merged commit would be deployed. A file that was broken before is none
    /// of the change's business.
    private boolean touched(Application application, Commit merged, ChangedFiles change) {
        var places = ApplicationFiles.places(repositories, application.getGitPath(), merged.hash());
        try {
            var found = files.read(application.getGitPath(), merged.hash());
            var on = found.config().trigger().onCommit();
            return !on.disabled()
                    && touches(
                            new TouchRule(places, on.paths(), on.ignores(), on.ignoresByCommit()),
                            change);
        } catch (Problem broken) {
            return touches(new TouchRule(places, List.of(), List.of(), false), change);
        }
    }

    private static boolean touches(TouchRule rule, ChangedFiles change) {
        return switch (change) {
            case ChangedFiles.Changed(var paths) -> rule.touches(paths);
            case ChangedFiles.HistoryRewritten() -> true;
        };
    }

    @SuppressWarnings("deprecation") // people who know no plugins read the summary there
    private void plan(
            Application application, Commit merged, ApplicationPlanPreviewResult.Builder result)
            throws InterruptedException {
        var opened = asking.opened(application, merged);
        try {
            var planned = asking.planned(opened);
            result.setSyncStrategy(planned.getTrigger().getSyncStrategy())
                    .setPlanSummary(ByteString.copyFromUtf8(planned.getSummary()))
                    .addAllPluginNames(asking.plugins(planned));
            var changes = new ArrayList<Change>();
            var silent = false;
            for (var plugin : result.getPluginNamesList()) {
                var told = asking.changes(plugin, planned);
                changes.addAll(told);
                silent |= isSilent(planned, plugin, told);
            }
            changes.forEach(change -> result.addPluginPlanResults(shown(change)));
            // Where nobody tells, something may change; so it may at the targets of one who does
            // not.
            result.setNoChange(
                    !changes.isEmpty() && !silent && changes.stream().allMatch(Change::nothing));
        } finally {
            asking.done(opened);
        }
    }

    /// Whether it does not tell of each of its targets. A result that names none is of one of them.
    private static boolean isSilent(Deployment planned, String plugin, List<Change> told) {
        if (!planned.containsDeployTargetsByPlugin(plugin)) return false;
        var targets = planned.getDeployTargetsByPluginOrThrow(plugin).getDeployTargetsList();
        var named = told.stream().map(Change::target).filter(t -> !t.isEmpty()).toList();
        var untold = targets.stream().filter(target -> !named.contains(target)).count();
        return told.isEmpty() || untold > told.size() - named.size();
    }

    private static PluginPlanPreviewResult shown(Change change) {
        return PluginPlanPreviewResult.newBuilder()
                .setPluginName(change.plugin())
                .setDeployTarget(change.target())
                .setPlanSummary(ByteString.copyFromUtf8(change.summary()))
                .setPlanDetails(ByteString.copyFromUtf8(change.details()))
                .setDiffLanguage(change.language().isEmpty() ? "diff" : change.language())
                .build();
    }
}
