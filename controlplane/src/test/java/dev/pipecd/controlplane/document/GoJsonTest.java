// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentMetadata;
import dev.pipecd.wire.model.DeploymentMetadata.KeyValues;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.PipedStat;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import org.junit.jupiter.api.Test;

class GoJsonTest {
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
    void whatIsNotAnObjectIsRefused() {
        assertThatThrownBy(() -> GoJson.parse("[1]"))
                .hasMessage("document: not an object (expected: a JSON object)");
        assertThatThrownBy(() -> GoJson.parse("{\"id\":"))
                .hasMessage("document: broken (expected: a JSON object)");
    }
}
