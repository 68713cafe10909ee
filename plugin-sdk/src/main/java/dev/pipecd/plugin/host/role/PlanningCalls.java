// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.platform.Strategy;
import dev.pipecd.wire.model.ArtifactVersion;
import dev.pipecd.wire.model.SyncStrategy;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyResponse;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsResponse;
import dev.pipecd.wire.plugin.deployment.PlanPluginInput;
import io.grpc.stub.StreamObserver;

/// What only a deployment plugin has to say to a plan; one of stages alone has no opinion.
public record PlanningCalls(Served served) {

    public void versions(
            PlanPluginInput input, StreamObserver<DetermineVersionsResponse> observer) {
        Answering.answer(
                observer,
                () -> {
                    var found = DetermineVersionsResponse.newBuilder();
                    if (served.plugin() instanceof DeploymentPlugin plugin)
                        for (var version : plugin.versions(asked(input)))
                            found.addVersions(
                                    ArtifactVersion.newBuilder()
                                            .setName(version.name())
                                            .setVersion(version.version())
                                            .setUrl(version.url()));
                    return found.build();
                });
    }

    public void strategy(
            PlanPluginInput input, StreamObserver<DetermineStrategyResponse> observer) {
        Answering.answer(
                observer,
                () -> {
                    if (served.plugin() instanceof DeploymentPlugin plugin)
                        return wire(plugin.strategy(asked(input)));
                    return DetermineStrategyResponse.newBuilder().setUnsupported(true).build();
                });
    }

    private Asked asked(PlanPluginInput input) {
        return served.planning(
                input.getDeployment(),
                input.getTargetDeploymentSource(),
                input.getRunningDeploymentSource());
    }

    private static DetermineStrategyResponse wire(Strategy strategy) {
        return DetermineStrategyResponse.newBuilder()
                .setSyncStrategy(
                        switch (strategy.kind()) {
                            case QUICK_SYNC -> SyncStrategy.QUICK_SYNC;
                            case PIPELINE -> SyncStrategy.PIPELINE;
                        })
                .setSummary(strategy.summary())
                .build();
    }
}
