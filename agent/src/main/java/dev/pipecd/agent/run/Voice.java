// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.notify.DeploymentNotices;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.StageEvent;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says aloud what is recorded: in the log, and to those who want to be notified.
final class Voice {
    private static final Logger log = LoggerFactory.getLogger(Voice.class);

    private final Notifier notifier;

    Voice(Notifier notifier) {
        this.notifier = notifier;
    }

    void opened(Deployment pending) {
        log.info(
                "deployment {} of {} opened for commit {}",
                new DeploymentId(pending.getId()).brief(),
                pending.getApplicationName(),
                pending.getTrigger().getCommit().getHash());
        notifier.tell(new Event.DeploymentTriggered(pending));
    }

    /// A fault in here must not break off the walk.
    ///
    /// @param speaks whether how it ends is what is to be said of its application
    void tell(
            List<DeploymentEvent> events,
            Supplier<Deployment> document,
            boolean speaks,
            Instant at) {
        if (events.isEmpty()) return;
        try {
            var sheet = document.get();
            var notices = new DeploymentNotices(sheet, speaks, at);
            for (var event : events) {
                log.info(
                        "deployment {} of {}:{} {}",
                        new DeploymentId(sheet.getId()).brief(),
                        sheet.getApplicationName(),
                        stage(event, sheet),
                        said(event));
                notices.of(event).forEach(notifier::tell);
            }
        } catch (RuntimeException e) {
            log.error("what happened cannot be told; the deployment goes on", e);
        }
    }

    private static String stage(DeploymentEvent event, Deployment sheet) {
        return event instanceof DeploymentEvent.StageMoved(var stage, _)
                ? " stage " + name(stage, sheet)
                : "";
    }

    private static String name(StageId stage, Deployment sheet) {
        return sheet.getStagesList().stream()
                .filter(s -> s.getId().equals(stage.value()))
                .map(PipelineStage::getName)
                .findFirst()
                .orElse(stage.brief());
    }

    /// In the words of the log.
    private static String said(DeploymentEvent event) {
        return switch (event) {
            case DeploymentEvent.PlanMade(var plan) -> "planned, stages " + plan.stages().size();
            case DeploymentEvent.Began(_, var deadline) -> "begins, must end by " + deadline;
            case DeploymentEvent.StageMoved(_, var moved) -> said(moved);
            case DeploymentEvent.HaltOrdered(var cause, _) -> "goes no further: " + cause.told();
            case DeploymentEvent.RollbackBegan _ -> "rolls back";
            case DeploymentEvent.AbortOrdered(var why) -> "rollback stopped: " + why.told();
            case DeploymentEvent.ClockMoved(var by) ->
                    "the machine's clock was set by %s; deadlines move with it".formatted(by);
            case DeploymentEvent.Ended(var outcome) ->
                    "ends as %s: %s".formatted(outcome.status(), outcome.told());
        };
    }

    private static String said(StageEvent event) {
        return switch (event) {
            case StageEvent.HeldBack(var reason, var until) ->
                    "waits until %s: %s".formatted(until, reason);
            case StageEvent.Started _ -> "starts";
            case StageEvent.StopOrdered(var cause, _) -> "is told to stop: " + cause.told();
            case StageEvent.Ended(StageResult.Succeeded()) -> "succeeded";
            case StageEvent.Ended(var result) ->
                    "%s: %s".formatted(result.getClass().getSimpleName(), result.told());
        };
    }
}
