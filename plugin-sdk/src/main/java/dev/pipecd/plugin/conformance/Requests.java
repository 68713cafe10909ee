// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsRequest;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageRequest;
import dev.pipecd.wire.plugin.deployment.PlanPluginInput;

/// What an agent would send: every required field filled, as plugins insist on it. `deployment` is
/// another each time: plugins remember stages.
record Requests(Trial trial, String deployment) {
    static final int INDEX = 3;
    private static final long NOW = 1_769_860_800;
    private static final int UNHEARD_OF = 1999;

    Deployment deployment(String summary) {
        var commit =
                Commit.newBuilder()
                        .setHash("0123abcd")
                        .setMessage("Change the page")
                        .setAuthor("ann")
                        .setBranch("main")
                        .setCreatedAt(NOW);
        var repository =
                ApplicationGitRepository.newBuilder()
                        .setId("repository")
                        .setRemote("https://git.example/site.git")
                        .setBranch("main");
        return Deployment.newBuilder()
                .setId(deployment)
                .setApplicationId("application")
                .setApplicationName("site")
                .setPipedId("piped")
                .setProjectId("project")
                .setGitPath(ApplicationGitPath.newBuilder().setRepo(repository).setPath("site"))
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(commit)
                                .setCommander("ann")
                                .setTimestamp(NOW))
                .putDeployTargetsByPlugin(
                        trial.plugin(),
                        DeployTargets.newBuilder()
                                .addAllDeployTargets(trial.targets().keySet())
                                .build())
                .setSummary(summary)
                .setCreatedAt(NOW)
                .setUpdatedAt(NOW)
                .build();
    }

    DeploymentSource source() {
        var config =
                "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec:\n  name: site\n  plugins:\n    "
                        + trial.plugin()
                        + ": {}\n";
        return DeploymentSource.newBuilder()
                .setApplicationDirectory(trial.application().toString())
                .setCommitHash("0123abcd")
                .setApplicationConfig(ByteString.copyFromUtf8(config))
                .setApplicationConfigFilename("app.pipecd.yaml")
                .setSharedConfigDirectory(trial.application().resolve(".pipe").toString())
                .build();
    }

    PlanPluginInput planning(String summary) {
        return PlanPluginInput.newBuilder()
                .setDeployment(deployment(summary))
                .setTargetDeploymentSource(source())
                .setRunningDeploymentSource(source())
                .build();
    }

    DetermineVersionsRequest versions(String summary) {
        return DetermineVersionsRequest.newBuilder().setInput(planning(summary)).build();
    }

    BuildPipelineSyncStagesRequest pipeline(Trial.Sample sample, boolean rollback) {
        return BuildPipelineSyncStagesRequest.newBuilder()
                .setRollback(rollback)
                .addStages(
                        BuildPipelineSyncStagesRequest.StageConfig.newBuilder()
                                .setName(sample.stage())
                                .setDesc("looked at")
                                .setIndex(INDEX)
                                .setConfig(ByteString.copyFromUtf8(sample.with())))
                .build();
    }

    ExecuteStageRequest execute(String id, Trial.Sample sample) {
        var stage =
                PipelineStage.newBuilder()
                        .setId(id)
                        .setName(sample.stage())
                        .setIndex(INDEX)
                        .setCreatedAt(NOW)
                        .setUpdatedAt(NOW);
        return ExecuteStageRequest.newBuilder()
                .setInput(
                        ExecutePluginInput.newBuilder()
                                .setDeployment(deployment("looked at"))
                                .setStage(stage)
                                .setStageConfig(ByteString.copyFromUtf8(sample.with()))
                                .setTargetDeploymentSource(source())
                                .setRunningDeploymentSource(source()))
                .build();
    }

    /// Something that only a newer agent would say.
    static UnknownFieldSet future() {
        var text =
                UnknownFieldSet.Field.newBuilder()
                        .addLengthDelimited(ByteString.copyFromUtf8("from a newer agent"));
        return UnknownFieldSet.newBuilder().addField(UNHEARD_OF, text.build()).build();
    }
}
