// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.PluginPlanPreviewResult;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BrevityTest {
    @Test
    void whatFitsIsLeftAsItIs() {
        var all = List.of(result(1_000), result(2_000_000));

        assertThat(Brevity.of(all)).isEqualTo(all);
    }

    @Test
    void theLongestAreCutSoThatAllFitsAndTheShortStayWhole() {
        var brief = Brevity.of(List.of(result(1_000), result(3_000_000), result(5_000_000)));

        assertThat(details(brief.get(0)).size()).isEqualTo(1_000);
        assertThat(details(brief.get(1)).toStringUtf8())
                .endsWith("x\n… (cut: the whole is too long for a preview)");
        assertThat(brief.stream().mapToInt(r -> details(r).size()).sum())
                .isBetween(3_000_000, 3 * 1024 * 1024 + 200);
    }

    private static ApplicationPlanPreviewResult result(int size) {
        return ApplicationPlanPreviewResult.newBuilder()
                .addPluginPlanResults(
                        PluginPlanPreviewResult.newBuilder()
                                .setPlanDetails(ByteString.copyFromUtf8("x".repeat(size))))
                .build();
    }

    private static ByteString details(ApplicationPlanPreviewResult result) {
        return result.getPluginPlanResults(0).getPlanDetails();
    }
}
