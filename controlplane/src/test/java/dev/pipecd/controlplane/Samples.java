// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.ManualOperation;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.piped.CreateDeploymentChainRequest;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.PipedServiceGrpc.PipedServiceBlockingStub;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportDeploymentPlannedRequest;
import dev.pipecd.wire.piped.ReportDeploymentStatusChangedRequest;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportStageStatusChangedRequest;
import dev.pipecd.wire.piped.SaveStageMetadataRequest;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.util.List;

/// Things as agents and people would send them.
public final class Samples {
    private Samples() {}

    public static ApplicationGitPath gitPath(String path) {
        return ApplicationGitPath.newBuilder()
                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                .setPath(path)
                .setConfigFilename("app.pipecd.yaml")
                .build();
    }

    public static PipelineStage stage(String id, String name, boolean rollback) {
        return PipelineStage.newBuilder()
                .setId(id)
                .setName(name)
                .setRollback(rollback)
                .setAvailableOperation(
                        name.equals("WAIT_APPROVAL")
                                ? ManualOperation.MANUAL_OPERATION_APPROVE
                                : ManualOperation.MANUAL_OPERATION_NONE)
                .setCreatedAt(1)
                .setUpdatedAt(1)
                .build();
    }

    public static Deployment deployment(String id, String application, Caller.Agent agent) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId(application)
                .setApplicationName("site")
                .setPipedId(agent.piped().value())
                .setProjectId(agent.project().value())
                .setGitPath(gitPath("site"))
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(Commit.newBuilder().setHash("c0ffee"))
                                .setTimestamp(1))
                .putLabels("env", "dev")
                .build();
    }

    /// With all that a real port asks of one.
    public static Deployment whole(String id, String application, Caller.Agent agent) {
        var deployment = deployment(id, application, agent).toBuilder();
        deployment
                .getTriggerBuilder()
                .getCommitBuilder()
                .setMessage("change")
                .setAuthor("ann")
                .setBranch("main")
                .setCreatedAt(1);
        return deployment.build();
    }

    public static LogBlock line(long index, String text) {
        return LogBlock.newBuilder().setIndex(index).setLog(text).setCreatedAt(1).build();
    }

    /// An agent that has connected once, with one application.
    public static Home home(World world, ProjectId project) {
        var admin = World.person(project, "Admin");
        var registered = world.features.pipeds().register(admin, "east", "");
        var agent = World.agent(project, registered.id());
        var piped = PipedServiceGrpc.newBlockingStub(world.as(agent));
        var _ =
                piped.reportPipedMeta(
                        ReportPipedMetaRequest.newBuilder()
                                .setVersion("v1")
                                .addRepositories(
                                        ApplicationGitRepository.newBuilder()
                                                .setId("demo")
                                                .setRemote("https://git.example/org/demo.git")
                                                .setBranch("main"))
                                .build());
        var application =
                WebServiceGrpc.newBlockingStub(world.as(admin))
                        .addApplication(
                                AddApplicationRequest.newBuilder()
                                        .setName("site")
                                        .setPipedId(registered.id().value())
                                        .setGitPath(gitPath("site"))
                                        .putLabels("env", "dev")
                                        .build())
                        .getApplicationId();
        return new Home(project, registered.id(), registered.key(), agent, piped, application);
    }

    /// @param application its id
    public record Home(
            ProjectId project,
            PipedId piped,
            String key,
            Caller.Agent agent,
            PipedServiceBlockingStub calls,
            String application) {
        public void create(String deployment) {
            var _ =
                    calls.createDeployment(
                            CreateDeploymentRequest.newBuilder()
                                    .setDeployment(
                                            Samples.deployment(deployment, application, agent))
                                    .build());
        }

        /// A chain of it and whatever the matchers find.
        public void chain(
                String deployment, CreateDeploymentChainRequest.ApplicationMatcher... matchers) {
            var _ =
                    calls.createDeploymentChain(
                            CreateDeploymentChainRequest.newBuilder()
                                    .setFirstDeployment(
                                            Samples.deployment(deployment, application, agent))
                                    .addAllMatchers(List.of(matchers))
                                    .build());
        }

        /// Two stages forward and one back.
        public void plan(String deployment) {
            var _ =
                    calls.reportDeploymentPlanned(
                            ReportDeploymentPlannedRequest.newBuilder()
                                    .setDeploymentId(deployment)
                                    .setSummary("pipeline")
                                    .addStages(Samples.stage("s1", "SCRIPT_RUN", false))
                                    .addStages(Samples.stage("s2", "WAIT_APPROVAL", false))
                                    .addStages(Samples.stage("r1", "SCRIPT_RUN_ROLLBACK", true))
                                    .build());
        }

        public void running(String id) {
            create(id);
            plan(id);
            move(id, DeploymentStatus.DEPLOYMENT_RUNNING);
        }

        public void move(String id, DeploymentStatus status) {
            var _ =
                    calls.reportDeploymentStatusChanged(
                            ReportDeploymentStatusChangedRequest.newBuilder()
                                    .setDeploymentId(id)
                                    .setStatus(status)
                                    .build());
        }

        public void stage(String deployment, String stage, StageStatus status) {
            var _ =
                    calls.reportStageStatusChanged(
                            ReportStageStatusChangedRequest.newBuilder()
                                    .setDeploymentId(deployment)
                                    .setStageId(stage)
                                    .setStatus(status)
                                    .setCompletedAt(5)
                                    .build());
        }

        /// Tells whom the stage waits for, as old agents do.
        public void approvers(String deployment, String stage, String names) {
            var _ =
                    calls.saveStageMetadata(
                            SaveStageMetadataRequest.newBuilder()
                                    .setDeploymentId(deployment)
                                    .setStageId(stage)
                                    .putMetadata("Approvers", names)
                                    .build());
        }

        public void complete(String id, DeploymentStatus status) {
            var _ =
                    calls.reportDeploymentCompleted(
                            ReportDeploymentCompletedRequest.newBuilder()
                                    .setDeploymentId(id)
                                    .setStatus(status)
                                    .setCompletedAt(9)
                                    .build());
        }
    }
}
