// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import com.google.protobuf.ByteString;
import dev.pipecd.plugin.platform.PlanPreviewPlugin;
import dev.pipecd.plugin.platform.TargetPreview;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewRequest;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewResponse;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewResult;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.util.stream.Stream;

/// Answers what a change would do; a plugin that cannot tell has no such door.
public final class PlanPreviewDoor extends PlanPreviewServiceGrpc.PlanPreviewServiceImplBase {
    private final Served served;
    private final PlanPreviewPlugin plugin;

    private PlanPreviewDoor(Served served, PlanPreviewPlugin plugin) {
        this.served = served;
        this.plugin = plugin;
    }

    public static Stream<PlanPreviewDoor> of(Served served) {
        return served.plugin() instanceof PlanPreviewPlugin plugin
                ? Stream.of(new PlanPreviewDoor(served, plugin))
                : Stream.empty();
    }

    @Override
    public void getPlanPreview(
            GetPlanPreviewRequest request, StreamObserver<GetPlanPreviewResponse> observer) {
        Answering.answer(
                observer,
                () -> {
                    var question =
                            served.look(
                                    request.getApplicationId(),
                                    request.getApplicationName(),
                                    request.getTargetDeploymentSource(),
                                    request.getRunningDeploymentSource(),
                                    request.getDeployTargetsList());
                    var results = GetPlanPreviewResponse.newBuilder();
                    for (var each : plugin.preview(question)) results.addResults(wire(each));
                    return results.build();
                });
    }

    private static PlanPreviewResult wire(TargetPreview preview) {
        return PlanPreviewResult.newBuilder()
                .setDeployTarget(preview.target())
                .setNoChange(!preview.changed())
                .setSummary(preview.summary())
                .setDetails(ByteString.copyFromUtf8(preview.details()))
                .setDiffLanguage(preview.language())
                .build();
    }
}
