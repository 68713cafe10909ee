// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.index.Index;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.ChangedFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.TouchRule;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at repositories and opens deployments. One look at a repository at a time.
public final class Trigger {
    private static final Logger log = LoggerFactory.getLogger(Trigger.class);

    /// On so many applications it is told that their repository cannot be read; how the agent does
    /// tells it anyway.
    private static final int MOST_TOLD = 1_000;

    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Applications applications;
    private final Index index;
    private final Outbox outbox;
    private final Opening opening;
    private final Notifier notifier;
    private final BiConsumer<Deployment, List<Report>> open;

    /// What was last said about an application, so that it is said once.
    private final Map<ApplicationId, String> told = new ConcurrentHashMap<>();

    private final Map<RepositoryId, Object> looking = new ConcurrentHashMap<>();

    /// @param open records and starts a deployment
    public Trigger(
            Repositories repositories,
            ApplicationFiles files,
            Applications applications,
            Outbox outbox,
            Opening opening,
            Notifier notifier,
            BiConsumer<Deployment, List<Report>> open) {
        this.repositories = repositories;
        this.files = files;
        this.applications = applications;
        this.index = new Index(repositories, applications);
        this.outbox = outbox;
        this.opening = opening;
        this.notifier = notifier;
        this.open = open;
    }

    /// Fetches the repository and opens a deployment for every application its head touches.
    public void look(RepositoryId repository) {
        synchronized (looking.computeIfAbsent(repository, _ -> new Object())) {
            lookAlone(repository);
        }
    }

    /// A repository that did not change costs a fetch, and a commit what it may concern.
    private void lookAlone(RepositoryId repository) {
        var look = index.look(repository);
        var head = fetch(repository);
        var renamed = new ArrayList<ApplicationInfo>();
        var concerned = look.concerned(head);
        for (var id : concerned) {
            var known = applications.find(id);
            if (known.isEmpty()) continue;
            var application = known.get();
            try {
                var config = check(application, head, renamed);
                look.settle(application, head, List.of(config.trigger().onCommit()));
            } catch (Problem problem) {
                if (!passes(problem)) look.settle(application, head, List.of());
                if (sayOnce(
                        application,
                        ApplicationSyncStatus.INVALID_CONFIG,
                        "the configuration is not valid",
                        problem.told()))
                    notifier.tell(
                            new Event.DeploymentTriggerFailed(
                                    application, head.hash(), head.subject(), problem.told()));
            }
        }
        if (!concerned.isEmpty())
            log.info(
                    "repository {}: {} application(s) compared with {}",
                    repository,
                    concerned.size(),
                    head.hash().substring(0, 8));
        if (!renamed.isEmpty()) outbox.send(Reports.configurations(renamed));
    }

    private Commit fetch(RepositoryId repository) {
        try {
            return repositories.fetch(repository);
        } catch (Problem problem) {
            applications
                    .of(repository, MOST_TOLD)
                    .forEach(a ->
                            sayOnce(
                                    a,
                                    ApplicationSyncStatus.UNKNOWN,
                                    "the repository cannot be read",
                                    problem.told()));
            throw problem;
        }
    }

    /// Whether the next look may find it gone although nobody changed a file.
    private static boolean passes(Problem problem) {
        return switch (problem.code()) {
            case REPOSITORY_UNREACHABLE, STORE_UNAVAILABLE -> true;
            default -> false;
        };
    }

    private ApplicationConfig check(
            Application application, Commit head, List<ApplicationInfo> renamed) {
        var id = new ApplicationId(application.getId());
        var last = lastTriggered(application);
        var config = warned(application, files.read(application.getGitPath(), head.hash()));
        describe(application, config).ifPresent(renamed::add);
        if (!head.hash().equals(last)
                && !config.trigger().onCommit().disabled()
                && touched(application, config, last, head))
            open(
                    application,
                    head,
                    "",
                    SyncStrategy.AUTO,
                    List.of(),
                    config.additions().mentions());
        told.remove(id);
        return config;
    }

    /// What the public system ignores without a word is told, once per commit.
    private static ApplicationConfig warned(Application application, ApplicationFiles.Found found) {
        found.loaded()
                .warnings()
                .forEach(w -> log.warn("application {}: {}", application.getName(), w));
        return found.config();
    }

    private boolean touched(
            Application application, ApplicationConfig config, String last, Commit head) {
        if (last.isEmpty()) return true;
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        var on = config.trigger().onCommit();
        var rule = new TouchRule(application.getGitPath().getPath(), on.paths(), on.ignores());
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

    /// A person orders it: the head is deployed as it is; what is wrong with it shows in the
    /// deployment.
    public void sync(Command command) {
        var id = new ApplicationId(command.getApplicationId());
        var application = applications.find(id);
        if (application.isEmpty()) {
            refuse(
                    command,
                    "application: %s (expected: an enabled application of this agent)"
                            .formatted(id));
            return;
        }
        try {
            var repository = new RepositoryId(application.get().getGitPath().getRepo().getId());
            var head = newest(repository);
            var config = readable(application.get(), head);
            if (config.filter(c -> c.trigger().onCommand().disabled()).isPresent()) {
                refuse(
                        command,
                        "trigger.onCommand.disabled: true (expected: false for a sync by command)");
                return;
            }
            open(
                    application.get(),
                    head,
                    command.getCommander(),
                    command.getSyncApplication().getSyncStrategy(),
                    List.of(command),
                    config.map(c -> c.additions().mentions()).orElse(List.of()));
        } catch (Problem problem) {
            refuse(command, problem.told());
        }
    }

    /// With the remote down, the head last seen is as good as it gets.
    private Commit newest(RepositoryId repository) {
        try {
            return repositories.fetch(repository);
        } catch (Problem unreachable) {
            return repositories.head(repository).orElseThrow(() -> unreachable);
        }
    }

    private Optional<ApplicationConfig> readable(Application application, Commit head) {
        try {
            return Optional.of(files.read(application.getGitPath(), head.hash()).config());
        } catch (Problem invalid) {
            return Optional.empty();
        }
    }

    private void open(
            Application application,
            Commit head,
            String commander,
            SyncStrategy strategy,
            List<Command> orders,
            List<ApplicationConfig.Mention> mentions) {
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        var deployment =
                opening.deployment(
                        application,
                        head,
                        repositories.commitUrl(repository, head.hash()),
                        commander,
                        strategy,
                        mentions);
        var handled =
                orders.stream()
                        .map(c ->
                                Reports.handled(
                                        "deployment:" + deployment.getId(),
                                        new CommandId(c.getId()),
                                        CommandStatus.COMMAND_SUCCEEDED,
                                        Map.of("TriggeredDeploymentID", deployment.getId()),
                                        opening.now()))
                        .toList();
        open.accept(deployment, handled);
        applications.triggered(deployment);
    }

    private void refuse(Command command, String why) {
        log.warn("sync of {} refused: {}", command.getApplicationId(), why);
        outbox.send(
                Reports.handled(
                        "commands",
                        new CommandId(command.getId()),
                        CommandStatus.COMMAND_FAILED,
                        Map.of("Reason", why),
                        opening.now()));
    }

    /// Whether it was news.
    private boolean sayOnce(
            Application application, ApplicationSyncStatus status, String brief, String reason) {
        var id = new ApplicationId(application.getId());
        if (reason.equals(told.put(id, reason))) return false;
        log.warn("application {}: {}: {}", application.getName(), brief, reason);
        outbox.send(
                Reports.syncState(
                        "application:" + id,
                        id,
                        Reports.syncState(status, brief, reason, "", opening.now())));
        return true;
    }

    private static String lastTriggered(Application application) {
        return application.getMostRecentlyTriggeredDeployment().getTrigger().getCommit().getHash();
    }

    /// Name, labels and description are what the file says.
    private static Optional<ApplicationInfo> describe(
            Application application, ApplicationConfig config) {
        var about = config.about();
        if (about.name().isEmpty()
                || (about.name().equals(application.getName())
                        && about.description().equals(application.getDescription())
                        && about.labels().equals(application.getLabelsMap())))
            return Optional.empty();
        return Optional.of(
                ApplicationInfo.newBuilder()
                        .setId(application.getId())
                        .setName(about.name())
                        .setDescription(about.description())
                        .putAllLabels(about.labels())
                        .setKind(application.getKind())
                        .setRepoId(application.getGitPath().getRepo().getId())
                        .setPath(application.getGitPath().getPath())
                        .setConfigFilename(application.getGitPath().getConfigFilename())
                        .setPipedId(application.getPipedId())
                        .build());
    }
}
