// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.*;
import dev.pipecd.wire.piped.PipedServiceGrpc.PipedServiceBlockingStub;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What an agent of the public system sends of one deployment. Every report goes out twice, as by a
/// retry whose first answer was lost, and can be sent once more, late and backwards.
final class PublicAgent {
    private final PipedServiceBlockingStub calls;
    private final Deployment deployment;
    private final boolean visible;
    private final List<Runnable> told = new ArrayList<>();

    private PublicAgent(PipedServiceBlockingStub calls, Deployment deployment, boolean visible) {
        this.calls = calls;
        this.deployment = deployment;
        this.visible = visible;
    }

    /// A new one with an application of its own.
    ///
    /// @param name also the application's directory
    /// @param visible whether it says so of every stage, as the classic agents do
    static PublicAgent register(WholeServer server, String name, boolean visible) {
        var people = server.people();
        var piped = people.registerPiped(RegisterPipedRequest.newBuilder().setName(name).build());
        var calls = PipedServiceGrpc.newBlockingStub(server.agent(piped.getId(), piped.getKey()));
        var _ = calls.reportPipedMeta(meta().build());
        var application =
                people.addApplication(
                                AddApplicationRequest.newBuilder()
                                        .setName("site")
                                        .setPipedId(piped.getId())
                                        .setGitPath(Samples.gitPath(name))
                                        .build())
                        .getApplicationId();
        var owner = World.agent(new ProjectId(WholeServer.PROJECT), new PipedId(piped.getId()));
        var deployment = Samples.whole("deployment-of-" + name, application, owner);
        return new PublicAgent(calls, deployment, visible);
    }

    /// A new process with the same id, which remembers nothing.
    PublicAgent restarted() {
        return new PublicAgent(calls, deployment, visible);
    }

    private void tell(Runnable report) {
        told.add(report);
        report.run();
        report.run();
    }

    void everythingOnceMoreFromTheEndBackwards() {
        told.reversed().forEach(Runnable::run);
    }

    static ReportPipedMetaRequest.Builder meta() {
        return ReportPipedMetaRequest.newBuilder()
                .setVersion("v0.57.1")
                .addRepositories(
                        ApplicationGitRepository.newBuilder()
                                .setId("demo")
                                .setRemote("https://git.example/org/demo.git")
                                .setBranch("main"))
                .setSecretEncryption(Piped.SecretEncryption.newBuilder().setType("NONE"))
                .setConfig("apiVersion: pipecd.dev/v1beta1\nkind: Piped\n");
    }

    void about(ReportPipedMetaRequest.Builder meta) {
        tell(() -> calls.reportPipedMeta(meta.build()));
    }

    /// As it would be created by all.
    Deployment deployment() {
        return deployment;
    }

    /// Once: a retried creation is told that it exists, as the public server tells it.
    void create(Deployment.Builder created) {
        var _ =
                calls.createDeployment(
                        CreateDeploymentRequest.newBuilder().setDeployment(created).build());
        recent(DeploymentStatus.DEPLOYMENT_PENDING, 0);
        deploying(true);
    }

    private void recent(DeploymentStatus status, long completedAt) {
        tell(() ->
                calls.reportApplicationMostRecentDeployment(
                        ReportApplicationMostRecentDeploymentRequest.newBuilder()
                                .setApplicationId(deployment.getApplicationId())
                                .setStatus(status)
                                .setDeployment(
                                        ApplicationDeploymentReference.newBuilder()
                                                .setDeploymentId(deployment.getId())
                                                .setTrigger(deployment.getTrigger())
                                                .setStartedAt(1)
                                                .setCompletedAt(completedAt))
                                .build()));
    }

    private void deploying(boolean deploying) {
        tell(() ->
                calls.reportApplicationDeployingStatus(
                        ReportApplicationDeployingStatusRequest.newBuilder()
                                .setApplicationId(deployment.getApplicationId())
                                .setDeploying(deploying)
                                .build()));
    }

    void plan(ReportDeploymentPlannedRequest.Builder plan, List<PipelineStage> stages) {
        var request = plan.setDeploymentId(deployment.getId()).addAllStages(stages).build();
        tell(() -> calls.reportDeploymentPlanned(request));
    }

    void move(DeploymentStatus status) {
        tell(() ->
                calls.reportDeploymentStatusChanged(
                        ReportDeploymentStatusChangedRequest.newBuilder()
                                .setDeploymentId(deployment.getId())
                                .setStatus(status)
                                .build()));
    }

    /// Also a running stage has a time of completion.
    void stage(String stage, StageStatus... statuses) {
        for (var status : statuses)
            tell(() ->
                    calls.reportStageStatusChanged(
                            ReportStageStatusChangedRequest.newBuilder()
                                    .setDeploymentId(deployment.getId())
                                    .setStageId(stage)
                                    .setStatus(status)
                                    .setVisible(visible)
                                    .setCompletedAt(5)
                                    .build()));
    }

    void log(String stage, long index, String line, boolean completed) {
        tell(() ->
                calls.reportStageLogsFromLastCheckpoint(
                        ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                .setDeploymentId(deployment.getId())
                                .setStageId(stage)
                                .addBlocks(Samples.line(index, line))
                                .setCompleted(completed)
                                .build()));
    }

    void complete(DeploymentStatus status, Map<String, StageStatus> stages) {
        tell(() ->
                calls.reportDeploymentCompleted(
                        ReportDeploymentCompletedRequest.newBuilder()
                                .setDeploymentId(deployment.getId())
                                .setStatus(status)
                                .setStatusReason("the end")
                                .putAllStageStatuses(stages)
                                .setCompletedAt(9)
                                .build()));
        if (status == DeploymentStatus.DEPLOYMENT_SUCCESS) recent(status, 9);
        deploying(false);
    }

    /// What it would go on with after a start.
    List<String> live() {
        return calls
                .listNotCompletedDeployments(
                        ListNotCompletedDeploymentsRequest.getDefaultInstance())
                .getDeploymentsList()
                .stream()
                .map(Deployment::getId)
                .toList();
    }

    /// As the server has it.
    Deployment stored() {
        return calls.getDeployment(
                        GetDeploymentRequest.newBuilder().setId(deployment.getId()).build())
                .getDeployment();
    }
}
