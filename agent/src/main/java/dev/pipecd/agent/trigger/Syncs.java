// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Health;
import dev.pipecd.agent.source.History;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.Loaded;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deploys what a person or a chain orders: the head as it is; what is wrong with it shows in the
/// deployment. An order that is not carried out is answered with the reason.
final class Syncs {
    private static final Logger log = LoggerFactory.getLogger(Syncs.class);

    /// A mirror that is damaged is cloned again meanwhile, a disk that is full is given room.
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(10);

    private static final int MOST_TRIES = 60;

    private final History repositories;
    private final ApplicationFiles files;
    private final Applications applications;
    private final Outbox outbox;
    private final Openings openings;

    Syncs(
            History repositories,
            ApplicationFiles files,
            Applications applications,
            Outbox outbox,
            Openings openings) {
        this.repositories = repositories;
        this.files = files;
        this.applications = applications;
        this.outbox = outbox;
        this.openings = openings;
    }

    /// False when nothing may be opened just now: the order has to come again.
    boolean sync(Command command) {
        var id = new ApplicationId(command.getApplicationId());
        var application = applications.find(id);
        if (application.isEmpty()) {
            refuse(
                    command,
                    "application: %s (expected: an enabled application of this agent)"
                            .formatted(id));
            return true;
        }
        try {
            return sync(command, application.get());
        } catch (Problem problem) {
            refuse(command, problem.told());
        } catch (InterruptedException stopped) {
            // The agent stops: unanswered, the order comes again.
            Thread.currentThread().interrupt();
        }
        return true;
    }

    private boolean sync(Command command, Application application) throws InterruptedException {
        var seen = seen(application);
        var refused = seen.file().flatMap(f -> refusal(command, f.value().trigger()));
        if (refused.isPresent()) {
            refuse(command, refused.get());
            return true;
        }
        var trace = Trace.of(seen.head());
        var why = chained(command) ? Why.chain(command, trace) : Why.order(command, trace);
        return openings.open(application, seen.head(), why, seen.terms());
    }

    /// A fault that passes is waited out: what the file asks of a deployment, its chain among it,
    /// must not be lost by it.
    private Seen seen(Application application) throws InterruptedException {
        var repository = new RepositoryId(application.getGitPath().getRepo().getId());
        for (var tries = 1; ; tries++) {
            var head = newest(repository);
            try {
                return new Seen(head, readable(application, head));
            } catch (Problem passing) {
                if (tries == MOST_TRIES) throw passing;
                if (tries == 1)
                    log.warn(
                            "sync of {} waits until its file can be read: {}",
                            application.getId(),
                            passing.told());
                openings.machine().bell().await(() -> false, BETWEEN_TRIES);
            }
        }
    }

    private static Optional<String> refusal(Command command, ApplicationConfig.Trigger trigger) {
        if (chained(command))
            return trigger.onChain().disabled()
                    ? Optional.of(
                            "trigger.onChain.disabled: true (expected: false for a deployment by a chain)")
                    : Optional.empty();
        return trigger.onCommand().disabled()
                ? Optional.of(
                        "trigger.onCommand.disabled: true (expected: false for a sync by command)")
                : Optional.empty();
    }

    private static boolean chained(Command command) {
        return command.getType() == Command.Type.CHAIN_SYNC_APPLICATION;
    }

    /// With the remote down, the head last seen is as good as it gets.
    private Commit newest(RepositoryId repository) {
        try {
            return repositories.fetch(repository);
        } catch (Problem unreachable) {
            return repositories.head(repository).orElseThrow(() -> unreachable);
        }
    }

    /// Nothing when the file itself is wrong.
    private List<Loaded<ApplicationConfig>> readable(Application application, Commit head) {
        try {
            return List.of(files.read(application.getGitPath(), head.hash()).loaded());
        } catch (Problem problem) {
            if (Health.passes(problem)) throw problem;
            return List.of();
        }
    }

    private void refuse(Command command, String why) {
        log.warn("sync of {} refused: {}", command.getApplicationId(), why);
        outbox.send(
                Reports.handled(
                        "commands",
                        new CommandId(command.getId()),
                        CommandStatus.COMMAND_FAILED,
                        Map.of("Reason", why),
                        openings.now()));
    }

    /// What is to be deployed; no file, when it is there and cannot be understood.
    private record Seen(Commit head, List<Loaded<ApplicationConfig>> files) {
        Optional<Loaded<ApplicationConfig>> file() {
            return files.stream().findFirst();
        }

        Terms terms() {
            return file().map(Terms::of).orElseGet(Terms::unreadable);
        }
    }
}
