// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentMetadata.KeyValues;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.DeploymentTrace;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PipedStat;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectUserGroup;
import dev.pipecd.wire.model.StageStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class GoJsonTest {
    private static final List<Message> KINDS =
            List.of(
                    Project.getDefaultInstance(),
                    Application.getDefaultInstance(),
                    Command.getDefaultInstance(),
                    Deployment.getDefaultInstance(),
                    Piped.getDefaultInstance(),
                    APIKey.getDefaultInstance(),
                    Event.getDefaultInstance(),
                    DeploymentChain.getDefaultInstance(),
                    DeploymentTrace.getDefaultInstance(),
                    ApplicationLiveStateSnapshot.getDefaultInstance(),
                    PlanPreviewCommandResult.getDefaultInstance());
    private static final Deployment DEPLOYMENT =
            Deployment.newBuilder()
                    .setId("d1")
                    .setStatus(DeploymentStatus.DEPLOYMENT_RUNNING)
                    .putLabels("env", "dev")
                    .setMetadataV2(
                            DeploymentMetadata.newBuilder()
                                    .setShared(KeyValues.newBuilder().putKeyValues("k", "v"))
                                    .putPlugins("wait", KeyValues.getDefaultInstance()))
                    .addStages(
                            PipelineStage.newBuilder()
                                    .setId("s1")
                                    .setName("WAIT")
                                    .setStatus(StageStatus.STAGE_SUCCESS)
                                    .setCreatedAt(9_000_000_000L))
                    .setDeploymentChainBlockIndex(-1)
                    .build();

    @Test
    void namesAreTheProtosZeroesAreLeftOutAndEnumsAndLongsAreNumbers() {
        assertThat(GoJson.write(DEPLOYMENT))
                .hasToString(
                        "{\"id\":\"d1\",\"labels\":{\"env\":\"dev\"},\"status\":2,"
                                + "\"stages\":[{\"id\":\"s1\",\"name\":\"WAIT\",\"status\":2,"
                                + "\"created_at\":9000000000}],"
                                + "\"metadata_v2\":{\"shared\":{\"keyValues\":{\"k\":\"v\"}},"
                                + "\"plugins\":{\"wait\":{}}},"
                                + "\"deployment_chain_block_index\":4294967295}");
    }

    @Test
    void whatIsWrittenIsReadBackTheSame() {
        var read = GoJson.read(Deployment.getDefaultInstance(), GoJson.write(DEPLOYMENT));

        assertThat(read).isEqualTo(DEPLOYMENT);
    }

    @Test
    void anEntryOfAMapIsWrittenHoweverEmpty() {
        var deployment = Deployment.newBuilder().putLabels("k", "").putLabels("", "v").build();

        assertThat(GoJson.write(deployment)).hasToString("{\"labels\":{\"k\":\"\",\"\":\"v\"}}");
    }

    @Test
    void bytesAreBase64() {
        var stat = PipedStat.newBuilder().setMetrics(ByteString.copyFromUtf8("a?>")).build();

        assertThat(GoJson.write(stat)).hasToString("{\"metrics\":\"YT8+\"}");
        assertThat(GoJson.read(PipedStat.getDefaultInstance(), GoJson.write(stat))).isEqualTo(stat);
    }

    @Test
    void aStatusOfNewerSoftwareSurvives() {
        var newer = GoJson.parse("{\"id\":\"d1\",\"status\":42}");

        var read = GoJson.read(Deployment.getDefaultInstance(), newer);

        assertThat(GoJson.write(read)).hasToString("{\"id\":\"d1\",\"status\":42}");
    }

    @Test
    void keysOfNewerSoftwareSurviveAChangeAtEveryDepth() {
        var stored =
                GoJson.parse(
                        "{\"id\":\"d1\",\"new\":1,\"status\":2,\"status_reason\":\"old\","
                                + "\"git_path\":{\"path\":\"a\",\"new\":2},"
                                + "\"stages\":[{\"id\":\"s1\",\"new\":3},{\"id\":\"s2\",\"new\":4}],"
                                + "\"metadata_v2\":{\"plugins\":{\"wait\":{\"new\":5}}}}");
        var changed =
                GoJson.read(Deployment.getDefaultInstance(), stored).toBuilder()
                        .clearStatusReason()
                        .setSummary("s")
                        .setStages(0, PipelineStage.newBuilder().setId("s1").setName(""))
                        .setStages(1, PipelineStage.newBuilder().setId("other"))
                        .build();

        assertThat(GoJson.merge(stored, changed))
                .isEqualTo(
                        GoJson.parse(
                                "{\"id\":\"d1\",\"new\":1,\"status\":2,\"summary\":\"s\","
                                        + "\"git_path\":{\"path\":\"a\",\"new\":2},"
                                        + "\"stages\":[{\"id\":\"s1\",\"new\":3},{\"id\":\"other\"}],"
                                        + "\"metadata_v2\":{\"plugins\":{\"wait\":{\"new\":5}}}}"));
    }

    @Test
    void keysOfNewerSoftwareStayWithTheirItemWhenOthersComeAndGo() {
        var stored =
                GoJson.parse(
                        "{\"id\":\"p\",\"rbac_roles\":[{\"name\":\"a\",\"new\":1},{\"name\":\"b\",\"new\":2}],"
                                + "\"user_groups\":[{\"sso_group\":\"x\",\"role\":\"a\",\"new\":3},"
                                + "{\"sso_group\":\"y\",\"role\":\"b\",\"new\":4}]}");
        var changed =
                GoJson.read(Project.getDefaultInstance(), stored).toBuilder()
                        .removeRbacRoles(0)
                        .removeUserGroups(0)
                        .addUserGroups(
                                0, ProjectUserGroup.newBuilder().setSsoGroup("z").setRole("a"))
                        .build();

        assertThat(GoJson.merge(stored, changed))
                .isEqualTo(
                        GoJson.parse(
                                "{\"id\":\"p\",\"rbac_roles\":[{\"name\":\"b\",\"new\":2}],"
                                        + "\"user_groups\":[{\"sso_group\":\"z\",\"role\":\"a\"},"
                                        + "{\"sso_group\":\"y\",\"role\":\"b\",\"new\":4}]}"));
    }

    @Test
    void theWireFormOfADocumentIsThatOfItsMessage() throws Exception {
        var text = GoJson.write(DEPLOYMENT).toString();

        var wire = GoJson.wire(Deployment.getDescriptor()).apply(text);

        assertThat(Deployment.parseFrom(wire)).isEqualTo(DEPLOYMENT);
    }

    @Test
    void zeroesThatAreWrittenOutTakeNoRoom() {
        var text = "{\"id\":\"d1\",\"summary\":\"\",\"created_at\":0,\"labels\":{\"k\":\"\"}}";

        var wire = GoJson.wire(Deployment.getDescriptor()).apply(text);

        assertThat(wire)
                .isEqualTo(
                        Deployment.newBuilder()
                                .setId("d1")
                                .putLabels("k", "")
                                .build()
                                .toByteString());
    }

    @Test
    void everyMessageOfTheStoresIsReadAsItWasWritten() {
        for (var kind : KINDS) {
            var full = Filled.with(kind, 3);

            assertThat(GoJson.read(kind, GoJson.write(full).toString())).isEqualTo(full);
        }
    }

    @Test
    void somethingLongIsReadWhole() {
        var name = "ä".repeat(70_000);
        var stage = PipelineStage.newBuilder().setId(name).addRequires(name);
        var deployment = Deployment.newBuilder().addStages(stage).putLabels("k", name).build();

        var read = GoJson.read(Deployment.getDefaultInstance(), GoJson.write(deployment));

        assertThat(read).isEqualTo(deployment);
    }

    @Test
    void aValueOfAnotherTypeIsReadAsFarAsItCanBeAndNothingBehindItIsLost() {
        var text =
                """
                {"new": [{"a": [1]}], "kind": "1", "created_at": true, "git_path": "x", "stages": {},
                 "labels": {"a": 1, "b": null}, "trigger": null, "status": {"x": 1}, "summary": 7.5,
                 "stages": [null, 4, {"id": "s"}], "id": "d1"}\
                """;

        var read = GoJson.read(Deployment.getDefaultInstance(), text);

        assertThat(read)
                .isEqualTo(
                        Deployment.newBuilder()
                                .setId("d1")
                                .setKindValue(1)
                                .setCreatedAt(1)
                                .setGitPath(ApplicationGitPath.getDefaultInstance())
                                .putLabels("a", "1")
                                .putLabels("b", "")
                                .setSummary("7.5")
                                .addStages(PipelineStage.getDefaultInstance())
                                .addStages(PipelineStage.getDefaultInstance())
                                .addStages(PipelineStage.newBuilder().setId("s"))
                                .build());
    }

    @Test
    void whatIsNotAnObjectIsRefused() {
        assertThatThrownBy(() -> GoJson.parse("[1]"))
                .hasMessage("document: not an object (expected: a JSON object)");
        assertThatThrownBy(() -> GoJson.parse("{\"id\":"))
                .hasMessage("document: broken (expected: a JSON object)");
        assertThatThrownBy(() -> GoJson.read(Deployment.getDefaultInstance(), "[1]"))
                .hasMessage("document: not an object (expected: a JSON object)");
        assertThatThrownBy(() -> GoJson.read(Deployment.getDefaultInstance(), "{\"id\":"))
                .hasMessage("document: broken (expected: a JSON object)");
    }
}
