// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.WalkMarks;
import dev.pipecd.agent.run.Gate;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.CreateDeploymentChainRequest;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.ReportApplicationDeployingStatusRequest;
import dev.pipecd.wire.piped.ReportApplicationMostRecentDeploymentRequest;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.piped.ReportDeploymentStatusChangedRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import dev.pipecd.wire.piped.SaveDeploymentSharedMetadataRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// What the control plane has been told. It goes away and comes back, and sometimes the agent does
/// not hear that a report has arrived.
final class SimulatedControlPlane implements Outbox.Sender {
    private final RandomGenerator random;
    final Map<String, Deployment> deployments = new LinkedHashMap<>();
    final Map<String, Command> commands = new LinkedHashMap<>();
    final Map<String, CommandStatus> handled = new LinkedHashMap<>();
    final List<String> arrived = new ArrayList<>();
    final List<String> violations = new ArrayList<>();

    /// What one agent alone does not tell; of two, the one before may tell late how it saw it.
    final List<String> contradictions = new ArrayList<>();

    /// Approvals that count as carried out, of stages that did not go on.
    final List<String> unapproved = new ArrayList<>();

    private final Map<String, Application> applications = new LinkedHashMap<>();
    private final SimulatedChains chains;

    /// The deployment of each application whose end was last told as what the application runs.
    final Map<String, String> spoke = new LinkedHashMap<>();

    boolean away;

    SimulatedControlPlane(Collection<String> applications, RandomGenerator random) {
        this.random = random;
        this.chains = new SimulatedChains(applications, deployments, commands, handled);
        for (var name : applications)
            this.applications.put(
                    name,
                    Application.newBuilder()
                            .setId(name)
                            .setName(name)
                            .setGitPath(
                                    ApplicationGitPath.newBuilder()
                                            .setRepo(
                                                    ApplicationGitRepository.newBuilder()
                                                            .setId(SimulatedGit.ID.value()))
                                            .setPath(name)
                                            .setConfigFilename("app.pipecd.yaml"))
                            .build());
    }

    List<Application> applications() {
        return List.copyOf(applications.values());
    }

    Gate.Turn turn(Deployment chained) {
        return away ? new Gate.Turn.Later(SimulatedChains.BETWEEN) : chains.turn(chained);
    }

    static String key(String call, byte[] body) {
        return call + " " + Arrays.hashCode(body);
    }

    /// Sometimes as a public one, which takes one at a time; and sometimes it dies in their midst:
    /// what it has taken it keeps, but nobody hears of it.
    @Override
    public List<Outbox.Answer> send(List<Queued> reports) {
        if (away) return List.of(new Outbox.Answer.ComeAgain("away"));
        var answers = new ArrayList<Outbox.Answer>();
        for (var report : reports.subList(0, random.nextInt(4) == 0 ? 1 : reports.size())) {
            if (!answers.isEmpty() && random.nextInt(12) == 0)
                return List.of(new Outbox.Answer.ComeAgain("died in their midst"));
            answers.add(send(report.call(), report.body()));
            if (answers.getLast() instanceof Outbox.Answer.ComeAgain) break;
        }
        return answers;
    }

    private Outbox.Answer send(String call, byte[] body) {
        arrived.add(key(call, body));
        try {
            take(call, body);
        } catch (InvalidProtocolBufferException e) {
            violations.add("not a message: " + call);
        }
        if (random.nextInt(12) == 0) return new Outbox.Answer.ComeAgain("the answer was lost");
        return call.equals("SaveStageMetadata") && random.nextInt(12) == 0
                ? new Outbox.Answer.Refused("too long")
                : new Outbox.Answer.Taken();
    }

    private void take(String call, byte[] body) throws InvalidProtocolBufferException {
        switch (call) {
            case "CreateDeployment" -> {
                var created = CreateDeploymentRequest.parseFrom(body).getDeployment();
                deployments.putIfAbsent(created.getId(), created);
            }
            case "CreateDeploymentChain" ->
                    chains.begin(CreateDeploymentChainRequest.parseFrom(body));
            case "ReportApplicationMostRecentDeployment" ->
                    note(ReportApplicationMostRecentDeploymentRequest.parseFrom(body));
            case "ReportApplicationSyncState" -> {
                var told = ReportApplicationSyncStateRequest.parseFrom(body);
                var head = told.getState().getHeadDeploymentId();
                if (!head.isEmpty()
                        && told.getState().getStatus() != ApplicationSyncStatus.DEPLOYING)
                    spoke.put(told.getApplicationId(), head);
                change(told.getApplicationId(), known -> known.setSyncState(told.getState()));
            }
            case "ReportApplicationDeployingStatus" -> {
                var told = ReportApplicationDeployingStatusRequest.parseFrom(body);
                change(told.getApplicationId(), known -> known.setDeploying(told.getDeploying()));
            }
            case "ReportDeploymentPlanned" -> {
                var planned = ReportDeploymentPlannedRequest.parseFrom(body);
                var known = known(planned.getDeploymentId(), call);
                if (known.getStatus() == DeploymentStatus.DEPLOYMENT_PENDING)
                    put(
                            known.toBuilder()
                                    .clearStages()
                                    .addAllStages(planned.getStagesList())
                                    .setStatus(DeploymentStatus.DEPLOYMENT_PLANNED));
            }
            case "SaveDeploymentSharedMetadata" ->
                    mark(SaveDeploymentSharedMetadataRequest.parseFrom(body), call);
            case "ReportDeploymentStatusChanged" -> {
                var moved = ReportDeploymentStatusChangedRequest.parseFrom(body);
                var known = known(moved.getDeploymentId(), call);
                if (known.getStatus().getNumber() < moved.getStatus().getNumber())
                    put(known.toBuilder().setStatus(moved.getStatus()));
            }
            case "ReportStageStatusChanged" -> {
                var moved = ReportStageStatusChangedRequest.parseFrom(body);
                moveStage(known(moved.getDeploymentId(), call), moved);
            }
            case "ReportDeploymentCompleted" -> {
                var completed = ReportDeploymentCompletedRequest.parseFrom(body);
                complete(known(completed.getDeploymentId(), call), completed);
            }
            case "ReportCommandHandled" -> {
                var report = ReportCommandHandledRequest.parseFrom(body);
                carriedOut(report);
                var before = handled.put(report.getCommandId(), report.getStatus());
                if (before != null && before != report.getStatus())
                    contradictions.add(
                            "%s is %s and %s"
                                    .formatted(report.getCommandId(), before, report.getStatus()));
            }
            default -> {}
        }
    }

    /// What was ordered has an effect by the time it counts as carried out: both go one behind the
    /// other.
    private void carriedOut(ReportCommandHandledRequest report) {
        var order = commands.remove(report.getCommandId());
        if (order == null || report.getStatus() != CommandStatus.COMMAND_SUCCEEDED) return;
        var opened = deployment(report.getMetadataOrDefault("TriggeredDeploymentID", ""));
        var concerned = deployment(order.getDeploymentId());
        var done =
                switch (order.getType()) {
                    case SYNC_APPLICATION, CHAIN_SYNC_APPLICATION ->
                            opened.getApplicationId().equals(order.getApplicationId())
                                    && opened.getTrigger()
                                            .getCommander()
                                            .equals(order.getCommander());
                    case CANCEL_DEPLOYMENT ->
                            ended(concerned) || WalkMarks.halt(concerned).isPresent();
                    case APPROVE_STAGE ->
                            concerned.getStagesList().stream()
                                    .filter(stage -> stage.getId().equals(order.getStageId()))
                                    .anyMatch(stage -> wentOn(stage.getStatus()));
                    default -> false;
                };
        if (!done)
            (order.getType() == Command.Type.APPROVE_STAGE ? unapproved : contradictions)
                    .add(
                            "%s (%s of %s) counts as carried out and is not"
                                    .formatted(
                                            order.getId(),
                                            order.getType(),
                                            order.getDeploymentId() + order.getApplicationId()));
    }

    static boolean wentOn(StageStatus status) {
        return switch (status) {
            case STAGE_SUCCESS, STAGE_SKIPPED, STAGE_EXITED -> true;
            default -> false;
        };
    }

    private void mark(SaveDeploymentSharedMetadataRequest told, String call) {
        var changed = known(told.getDeploymentId(), call).toBuilder();
        changed.getMetadataV2Builder().getSharedBuilder().putAllKeyValues(told.getMetadataMap());
        put(changed);
    }

    private void note(ReportApplicationMostRecentDeploymentRequest told) {
        change(
                told.getApplicationId(),
                known -> {
                    var deployment = told.getDeployment();
                    if (told.getStatus() == DeploymentStatus.DEPLOYMENT_SUCCESS) {
                        if (follows(known.getMostRecentlySuccessfulDeployment(), deployment))
                            known.setMostRecentlySuccessfulDeployment(deployment);
                    } else if (follows(known.getMostRecentlyTriggeredDeployment(), deployment))
                        known.setMostRecentlyTriggeredDeployment(deployment);
                });
    }

    /// What is told of an older one may come late.
    private static boolean follows(
            ApplicationDeploymentReference known, ApplicationDeploymentReference told) {
        return told.getStartedAt() >= known.getStartedAt();
    }

    private void change(String application, Consumer<Application.Builder> change) {
        applications.computeIfPresent(
                application,
                (_, known) -> {
                    var changed = known.toBuilder();
                    change.accept(changed);
                    return changed.build();
                });
    }

    /// Somebody changed by hand what an application runs, and that was seen.
    void drift(String application, Instant seen) {
        change(
                application,
                known -> {
                    if (!known.getDeploying())
                        known.setSyncState(
                                ApplicationSyncState.newBuilder()
                                        .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                                        .setTimestamp(seen.getEpochSecond()));
                });
    }

    /// Once all that was recorded is told, who has a deployment under way is shown so.
    void requireTruth() {
        for (var deployment : deployments.values())
            if (underWay(deployment) && !application(deployment).getDeploying())
                violations.add(
                        "%s is not deploying while %s is %s"
                                .formatted(
                                        deployment.getApplicationId(),
                                        deployment.getId(),
                                        deployment.getStatus()));
    }

    private Application application(Deployment deployment) {
        return applications.getOrDefault(
                deployment.getApplicationId(), Application.getDefaultInstance());
    }

    private static boolean underWay(Deployment deployment) {
        return deployment.getStatus() == DeploymentStatus.DEPLOYMENT_RUNNING
                || deployment.getStatus() == DeploymentStatus.DEPLOYMENT_ROLLING_BACK;
    }

    private Deployment known(String id, String call) {
        var known = deployments.get(id);
        if (known != null) return known;
        violations.add("%s of %s comes before its creation".formatted(call, id));
        return Deployment.newBuilder().setId(id).build();
    }

    private void put(Deployment.Builder changed) {
        deployments.put(changed.getId(), changed.build());
    }

    private void moveStage(Deployment known, ReportStageStatusChangedRequest moved) {
        var changed = known.toBuilder();
        for (var stage : changed.getStagesBuilderList())
            if (stage.getId().equals(moved.getStageId()) && rank(stage.getStatus()) < 2)
                stage.setStatus(moved.getStatus());
        put(changed);
    }

    private static int rank(StageStatus status) {
        return switch (status) {
            case STAGE_NOT_STARTED_YET -> 0;
            case STAGE_RUNNING -> 1;
            default -> 2;
        };
    }

    private void complete(Deployment known, ReportDeploymentCompletedRequest completed) {
        var status = completed.getStatus();
        if (ended(known) && known.getStatus() != status)
            contradictions.add(
                    "%s ends as %s and %s".formatted(known.getId(), known.getStatus(), status));
        put(known.toBuilder().setStatus(status).setCompletedAt(completed.getCompletedAt()));
    }

    static boolean ended(Deployment deployment) {
        return switch (deployment.getStatus()) {
            case DEPLOYMENT_SUCCESS, DEPLOYMENT_FAILURE, DEPLOYMENT_CANCELLED -> true;
            default -> false;
        };
    }

    Deployment deployment(String id) {
        return deployments.getOrDefault(id, Deployment.getDefaultInstance());
    }

    List<Deployment> unfinished() {
        return deployments.values().stream().filter(d -> !ended(d)).toList();
    }
}
