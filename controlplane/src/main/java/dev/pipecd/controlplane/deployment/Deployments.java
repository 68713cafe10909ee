// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.deployment;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.controlplane.paging.Page;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import java.util.List;

/// Deployments as people see and steer them. What they order is carried out by the agent.
public final class Deployments {
    private static final String OLD_APPROVERS = "Approvers";

    private final DeploymentStore store;
    private final Commands commands;

    public Deployments(DeploymentStore store, Commands commands) {
        this.store = store;
        this.commands = commands;
    }

    public Page<Deployment> page(Caller caller, DeploymentFilter filter, Cursor after, int size) {
        caller.requireSome(Resource.DEPLOYMENT, Action.LIST);
        if (!filter.project().equals(caller.project()))
            throw new IllegalArgumentException("filter: of another project than the caller");
        var seen = filter.seenBy(caller);
        return Page.read(
                Page.asked(size),
                after,
                d -> new Cursor(d.getUpdatedAt(), d.getId()),
                (behind, limit) -> store.list(seen, behind, limit));
    }

    public Deployment get(Caller caller, DeploymentId id) {
        return allowed(caller, Action.GET, id);
    }

    private Deployment allowed(Caller caller, Action action, DeploymentId id) {
        caller.requireSome(Resource.DEPLOYMENT, action);
        var found = store.find(id).orElseThrow(() -> Ownership.notFound("deployment", id.value()));
        var thing =
                new Ownership.Thing(
                        found.getProjectId(), found.getLabelsMap(), "deployment", id.value());
        Ownership.allowed(caller, thing, Resource.DEPLOYMENT, action);
        return found;
    }

    public CommandId cancel(Caller caller, DeploymentId id, Rollback rollback) {
        var deployment = notCompleted(caller, id);
        return commands.give(
                caller,
                order(caller, deployment)
                        .setType(Command.Type.CANCEL_DEPLOYMENT)
                        .setCancelDeployment(
                                Command.CancelDeployment.newBuilder()
                                        .setDeploymentId(id.value())
                                        .setForceRollback(rollback == Rollback.ALWAYS)
                                        .setForceNoRollback(rollback == Rollback.NEVER)));
    }

    public CommandId approve(Caller caller, DeploymentId id, StageId stageId) {
        var deployment = notCompleted(caller, id);
        var stage = stage(deployment, stageId);
        requireApprovable(stage);
        requireOperator(caller, stage);
        return commands.give(
                caller,
                order(caller, deployment)
                        .setType(Command.Type.APPROVE_STAGE)
                        .setStageId(stageId.value())
                        .setApproveStage(
                                Command.ApproveStage.newBuilder()
                                        .setDeploymentId(id.value())
                                        .setStageId(stageId.value())));
    }

    /// Lets a stage that can be skipped end early.
    public CommandId skip(Caller caller, DeploymentId id, StageId stageId) {
        var deployment = notCompleted(caller, id);
        var stage = stage(deployment, stageId);
        requireSkippable(stage);
        requireOperator(caller, stage);
        return commands.give(
                caller,
                order(caller, deployment)
                        .setType(Command.Type.SKIP_STAGE)
                        .setStageId(stageId.value())
                        .setSkipStage(
                                Command.SkipStage.newBuilder()
                                        .setDeploymentId(id.value())
                                        .setStageId(stageId.value())));
    }

    static PipelineStage stage(Deployment deployment, StageId id) {
        return deployment.getStagesList().stream()
                .filter(s -> s.getId().equals(id.value()))
                .findFirst()
                .orElseThrow(() -> Ownership.notFound("stage", id.value()));
    }

    private static void requireSkippable(PipelineStage stage) {
        var skippable =
                stage.getAvailableOperation() == ManualOperation.MANUAL_OPERATION_SKIP
                        || stage.getName().equals("ANALYSIS"); // old agents do not say so
        if (skippable && stage.getStatus() == StageStatus.STAGE_RUNNING) return;
        throw new Problem(
                Problem.Code.PRECONDITION_FAILED,
                "stage: %s %s (expected: a running stage that can be skipped)"
                        .formatted(stage.getName(), stage.getStatus()),
                skippable ? "It is not its turn." : "Only stages that say so can be skipped.");
    }

    private static void requireApprovable(PipelineStage stage) {
        var approvable =
                stage.getAvailableOperation() == ManualOperation.MANUAL_OPERATION_APPROVE
                        || stage.getName().equals("WAIT_APPROVAL"); // old agents do not say so
        if (approvable && stage.getStatus() == StageStatus.STAGE_RUNNING) return;
        throw new Problem(
                Problem.Code.PRECONDITION_FAILED,
                "stage: %s %s (expected: a running stage that waits for approval)"
                        .formatted(stage.getName(), stage.getStatus()),
                approvable ? "It is not its turn." : "Only stages that wait can be approved.");
    }

    private static void requireOperator(Caller caller, PipelineStage stage) {
        var approvers = approvers(stage);
        if (approvers.isEmpty() || approvers.contains(caller.name())) return;
        throw new Problem(
                Problem.Code.PERMISSION_DENIED,
                "approver: %s (expected: one of %s)".formatted(caller.name(), approvers),
                "Ask one of them to approve.");
    }

    private static List<String> approvers(PipelineStage stage) {
        if (stage.getAuthorizedOperatorsCount() > 0) return stage.getAuthorizedOperatorsList();
        var old = stage.getMetadataOrDefault(OLD_APPROVERS, "");
        return old.isBlank() ? List.of() : List.of(old.split("\\s*,\\s*"));
    }

    private Deployment notCompleted(Caller caller, DeploymentId id) {
        var deployment = allowed(caller, Action.UPDATE, id);
        if (Transitions.isFinal(deployment.getStatus()))
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "deployment: %s is completed (expected: one that is under way)"
                            .formatted(id.brief()),
                    "It has ended as " + deployment.getStatus() + ".");
        return deployment;
    }

    /// By name, also of a key: its agent writes beside the stage who it was, for people to read.
    private static Command.Builder order(Caller caller, Deployment deployment) {
        return Command.newBuilder()
                .setCommander(caller.name())
                .setPipedId(deployment.getPipedId())
                .setApplicationId(deployment.getApplicationId())
                .setDeploymentId(deployment.getId());
    }

    /// What a cancel does with what was changed so far.
    public enum Rollback {
        AS_CONFIGURED,
        ALWAYS,
        NEVER
    }
}
