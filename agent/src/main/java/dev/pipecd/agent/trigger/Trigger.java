// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

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
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.HashMap;
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

    private final Repositories repositories;
    private final ApplicationFiles files;
    private final Applications applications;
    private final Outbox outbox;
    private final Opening opening;
    private final Notifier notifier;
    private final BiConsumer<Deployment, List<Report>> open;

    /// The commit each application was last found not to be touched by.
    private final Map<ApplicationId, String> checked = new ConcurrentHashMap<>();

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

    /// The applications as they are known before the fetch: one that is registered meanwhile may be
    /// newer than the head that comes back.
    private void lookAlone(RepositoryId repository) {
        var known = applications.of(repository);
        Commit head;
        try {
            head = repositories.fetch(repository);
        } catch (Problem problem) {
            known.forEach(a ->
                    sayOnce(
                            a,
                            ApplicationSyncStatus.UNKNOWN,
                            "the repository cannot be read",
                            problem.told()));
            throw problem;
        }
        var diffs = new HashMap<String, ChangedFiles>();
        for (var application : known) {
            try {
                check(application, head, diffs);
            } catch (Problem problem) {
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
    }

    private void check(Application application, Commit head, Map<String, ChangedFiles> diffs) {
        var id = new ApplicationId(application.getId());
        var last = lastTriggered(application);
        if (head.hash().equals(last) || head.hash().equals(checked.get(id))) return;
        var config = warned(application, files.read(application.getGitPath(), head.hash()));
        if (!config.trigger().onCommit().disabled()
                && touched(application, config, last, head, diffs))
            open(
                    application,
                    head,
                    "",
                    SyncStrategy.AUTO,
                    List.of(),
                    config.additions().mentions());
        else checked.put(id, head.hash());
        told.remove(id);
    }

    /// What the public system ignores without a word is told, once per commit.
    private static ApplicationConfig warned(Application application, ApplicationFiles.Found found) {
        found.loaded()
                .warnings()
                .forEach(w -> log.warn("application {}: {}", application.getName(), w));
        return found.config();
    }

    private boolean touched(
            Application application,
            ApplicationConfig config,
            String last,
            Commit head,
            Map<String, ChangedFiles> diffs) {
        if (last.isEmpty()) return true;
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        var changed =
                diffs.computeIfAbsent(
                        last, from -> repositories.changedFiles(repository, from, head.hash()));
        return switch (changed) {
            case ChangedFiles.Changed(var paths) -> {
                var on = config.trigger().onCommit();
                yield new TouchRule(application.getGitPath().getPath(), on.paths(), on.ignores())
                        .touches(paths);
            }
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
}
