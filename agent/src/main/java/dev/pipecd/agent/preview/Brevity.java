// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.notify.PublicJson;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import dev.pipecd.wire.model.PluginPlanPreviewResult;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Writes the answer so that it fits into one message: what plugins told is shortened, the longest
/// first, all by the same measure.
final class Brevity {
    /// As it is written. A control plane takes 4 MiB, and something stands around it.
    static final int MOST = 7 << 19;

    private static final String CUT = "\n… (cut: the whole is too long for a preview)";

    /// What a text that is cut takes beside what is left of it.
    private static final int AROUND = 128;

    private Brevity() {}

    static byte[] written(PlanPreviewCommandResult answer) {
        var whole = json(answer);
        if (whole.length <= MOST) return whole;
        var sizes =
                answer.getResultsList().stream().flatMapToInt(Brevity::sizes).sorted().toArray();
        var bare = json(each(answer, _ -> ByteString.EMPTY)).length + AROUND * sizes.length;
        if (bare > MOST) throw tooMany(answer.getResultsCount());
        // In the public form each grows by a third.
        var most = fitting(sizes, (MOST - bare) / 4 * 3);
        return json(each(answer, text -> shortened(text, most)));
    }

    /// How long everything is that plugins told of an application.
    static IntStream sizes(ApplicationPlanPreviewResult result) {
        return result.getPluginPlanResultsList().stream()
                .flatMap(p -> Stream.of(p.getPlanSummary(), p.getPlanDetails()))
                .mapToInt(ByteString::size);
    }

    static Problem tooMany(int touched) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                "applications: %d touched (expected: as many as one answer can tell)"
                        .formatted(touched),
                "Divide the change, or preview one that touches fewer applications.");
    }

    /// What each may have: small ones leave their share to the others.
    static int fitting(int[] sorted, int all) {
        var left = all;
        for (var i = 0; i < sorted.length; i++) {
            var share = left / (sorted.length - i);
            if (sorted[i] > share) return share;
            left -= sorted[i];
        }
        return all;
    }

    private static PlanPreviewCommandResult each(
            PlanPreviewCommandResult answer, UnaryOperator<ByteString> text) {
        var brief = answer.toBuilder();
        for (var application : brief.getResultsBuilderList()) each(application, text);
        return brief.build();
    }

    static void each(
            ApplicationPlanPreviewResult.Builder application, UnaryOperator<ByteString> text) {
        for (var plugin : application.getPluginPlanResultsBuilderList()) each(plugin, text);
    }

    private static void each(
            PluginPlanPreviewResult.Builder plugin, UnaryOperator<ByteString> text) {
        plugin.setPlanSummary(text.apply(plugin.getPlanSummary()))
                .setPlanDetails(text.apply(plugin.getPlanDetails()));
    }

    private static ByteString shortened(ByteString text, int most) {
        return text.size() <= most
                ? text
                : ByteString.copyFromUtf8(text.substring(0, most).toStringUtf8() + CUT);
    }

    private static byte[] json(PlanPreviewCommandResult answer) {
        return PublicJson.of(answer).toString().getBytes(StandardCharsets.UTF_8);
    }
}
