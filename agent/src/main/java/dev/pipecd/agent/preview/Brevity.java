// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import com.google.protobuf.ByteString;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import java.util.List;

/// Shortens what would not fit into one answer: the longest details first, all by the same measure.
final class Brevity {
    /// Of details in all; they grow by a third on the way.
    private static final int MOST = 3 << 20;

    private static final String CUT = "\n… (cut: the whole is too long for a preview)";

    private Brevity() {}

    static List<ApplicationPlanPreviewResult> of(List<ApplicationPlanPreviewResult> results) {
        var sizes =
                results.stream()
                        .flatMap(r -> r.getPluginPlanResultsList().stream())
                        .mapToInt(p -> p.getPlanDetails().size())
                        .sorted()
                        .toArray();
        var most = fitting(sizes);
        return results.stream().map(result -> shortened(result, most)).toList();
    }

    /// What each may have: small ones leave their share to the others.
    private static int fitting(int[] sorted) {
        var left = MOST;
        for (var i = 0; i < sorted.length; i++) {
            var share = left / (sorted.length - i);
            if (sorted[i] > share) return share;
            left -= sorted[i];
        }
        return MOST;
    }

    private static ApplicationPlanPreviewResult shortened(
            ApplicationPlanPreviewResult result, int most) {
        var brief = result.toBuilder();
        for (var plugin : brief.getPluginPlanResultsBuilderList())
            if (plugin.getPlanDetails().size() > most)
                plugin.setPlanDetails(
                        ByteString.copyFromUtf8(
                                plugin.getPlanDetails().substring(0, most).toStringUtf8() + CUT));
        return brief.build();
    }
}
