// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewRequest;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewResponse;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewResult;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Asks plugins what a deployment would change.
public final class PlanPreviews {
    private static final Duration READY_WITHIN = Duration.ofSeconds(30);

    /// One for each target is what is asked for.
    private static final CountedCall<GetPlanPreviewRequest, GetPlanPreviewResponse> PLAN =
            new CountedCall<>(
                    PlanPreviewServiceGrpc.getGetPlanPreviewMethod(),
                    "results",
                    1_000,
                    List.of(GetPlanPreviewResponse.RESULTS_FIELD_NUMBER));

    private final Plugins plugins;

    public PlanPreviews(Plugins plugins) {
        this.plugins = plugins;
    }

    /// The plugins that would deploy it.
    public List<String> askedOf(Deployment planned, ApplicationConfig config) {
        return List.copyOf(new Owners(plugins).of(planned, config).keySet());
    }

    /// What it would change at each of its targets; nothing from a plugin that does not tell. Has
    /// no time limit of its own: whoever asked has one, and an interrupt ends the call.
    public List<Change> of(
            String plugin, Deployment planned, SourceDirs target, Optional<SourceDirs> running)
            throws InterruptedException {
        var targets =
                planned.getDeployTargetsByPluginMap()
                        .getOrDefault(plugin, DeployTargets.getDefaultInstance());
        // Without one there is nothing to tell, and the public plugin for Kubernetes would die of
        // the question, with all its stages.
        if (targets.getDeployTargetsCount() == 0) return List.of();
        var asking =
                GetPlanPreviewRequest.newBuilder()
                        .setPipedId(planned.getPipedId())
                        .setApplicationId(planned.getApplicationId())
                        .setApplicationName(planned.getApplicationName())
                        .addAllDeployTargets(targets.getDeployTargetsList())
                        .setTargetDeploymentSource(target.onTheWire());
        running.ifPresent(source -> asking.setRunningDeploymentSource(source.onTheWire()));
        var request = asking.build();
        var calls = new PluginCalls(plugins.line(plugin), READY_WITHIN);
        try {
            return calls
                    .call(
                            request,
                            channel -> PLAN.make(plugin, channel, CallOptions.DEFAULT, request))
                    .getResultsList()
                    .stream()
                    .map(told -> change(plugin, told))
                    .toList();
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.UNIMPLEMENTED) return List.of();
            throw calls.refused(
                    Problem.Code.CONFIG_INVALID,
                    "Correct what the plugin complains about in the change.",
                    e);
        }
    }

    private static Change change(String plugin, PlanPreviewResult told) {
        return new Change(
                plugin,
                told.getDeployTarget(),
                told.getSummary(),
                told.getNoChange(),
                told.getDetails().toStringUtf8(),
                told.getDiffLanguage());
    }

    /// What one target would see of a deployment.
    ///
    /// @param details usually a difference, in `language`
    public record Change(
            String plugin,
            String target,
            String summary,
            boolean nothing,
            String details,
            String language) {}
}
