// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Function;

/// What the silence of its agent makes of a deployment: first it is told beside the status, then it
/// is the end, which a late true report corrects.
final class Loss {
    private static final String SILENT = "agent silent since ";
    private static final String BEFORE = "; ";

    /// Where agents tell the outcome in full.
    private static final String OUTCOME = "pipecd/outcome";

    private static final String LOST = "Lost";

    private Loss() {}

    /// Since when it is told that the agent is silent.
    static Optional<Instant> silence(Deployment stored) {
        var reason = stored.getStatusReason();
        if (!reason.startsWith(SILENT)) return Optional.empty();
        try {
            return Optional.of(Instant.parse(reason.substring(SILENT.length(), end(reason))));
        } catch (DateTimeParseException e) {
            return Optional.empty(); // somebody else's words
        }
    }

    private static int end(String reason) {
        var end = reason.indexOf(BEFORE);
        return end < 0 ? reason.length() : end;
    }

    static Edit<Deployment> silent(Deployment stored, Instant since) {
        var before = heard(stored);
        var told = SILENT + since.truncatedTo(ChronoUnit.SECONDS);
        return new Edit.Changed<>(
                stored.toBuilder()
                        .setStatusReason(before.isEmpty() ? told : told + BEFORE + before)
                        .build(),
                told);
    }

    static Edit<Deployment> back(Deployment stored) {
        return new Edit.Changed<>(
                stored.toBuilder().setStatusReason(heard(stored)).build(), "agent heard again");
    }

    /// The reason as the agent told it last.
    private static String heard(Deployment stored) {
        var reason = stored.getStatusReason();
        if (silence(stored).isEmpty()) return reason;
        var end = end(reason);
        return end == reason.length() ? "" : reason.substring(end + BEFORE.length());
    }

    /// Stages stay where they were seen last: what became of them is not known.
    static Edit<Deployment> lost(Deployment stored, Instant since, Instant now) {
        var outcome =
                new Outcome.Lost(
                        "its agent has not been heard of since "
                                + since.truncatedTo(ChronoUnit.SECONDS));
        var walk = Walk.from(stored).on(new DeploymentEvent.Ended(outcome));
        var ended =
                stored.toBuilder()
                        .setStatus(walk.status())
                        .setStatusReason(outcome.told())
                        .setCompletedAt(now.getEpochSecond());
        ended.getMetadataV2Builder().getSharedBuilder().putKeyValues(OUTCOME, LOST);
        return new Edit.Changed<>(ended.build(), outcome.told());
    }

    /// What a late report makes of it: facts are taken, but only an end changes that it is lost.
    static Edit<Deployment> late(Deployment lost, Function<Deployment, Edit<Deployment>> report) {
        return switch (attempted(lost, report)) {
            case Edit.Unchanged<Deployment> unchanged -> unchanged;
            case Edit.Refreshed<Deployment>(var value) -> settled(lost, value, "refreshed");
            case Edit.Changed<Deployment>(var value, var what) -> settled(lost, value, what);
        };
    }

    /// An end is true also when what led there was never told.
    private static Edit<Deployment> attempted(
            Deployment lost, Function<Deployment, Edit<Deployment>> report) {
        try {
            return report.apply(reopened(lost));
        } catch (Problem e) {
            if (e.code() != Problem.Code.TRANSITION_REFUSED) throw e;
            return report.apply(lost);
        }
    }

    private static Deployment reopened(Deployment lost) {
        return lost.toBuilder()
                .setStatus(status(lost))
                .clearStatusReason()
                .clearCompletedAt()
                .build();
    }

    private static DeploymentStatus status(Deployment lost) {
        if (lost.getStagesCount() == 0) return DeploymentStatus.DEPLOYMENT_PENDING;
        var begun = lost.getStagesList().stream().filter(Transitions::begun).toList();
        if (begun.isEmpty()) return DeploymentStatus.DEPLOYMENT_PLANNED;
        return begun.stream().anyMatch(Walk::rollback)
                ? DeploymentStatus.DEPLOYMENT_ROLLING_BACK
                : DeploymentStatus.DEPLOYMENT_RUNNING;
    }

    private static Edit<Deployment> settled(Deployment lost, Deployment told, String what) {
        if (Transitions.isFinal(told.getStatus())) {
            var corrected = told.toBuilder();
            if (told.getMetadataV2().getShared().getKeyValuesOrDefault(OUTCOME, "").equals(LOST))
                corrected.getMetadataV2Builder().getSharedBuilder().removeKeyValues(OUTCOME);
            return new Edit.Changed<>(
                    corrected.build(), what + ", after it had been taken for lost");
        }
        var still =
                told.toBuilder()
                        .setStatus(lost.getStatus())
                        .setStatusReason(lost.getStatusReason())
                        .setCompletedAt(lost.getCompletedAt())
                        .build();
        return still.equals(lost) ? new Edit.Unchanged<>() : new Edit.Changed<>(still, what);
    }
}
