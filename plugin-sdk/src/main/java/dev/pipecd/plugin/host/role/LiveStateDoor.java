// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import dev.pipecd.plugin.platform.Drift;
import dev.pipecd.plugin.platform.DriftPlugin;
import dev.pipecd.plugin.platform.Health;
import dev.pipecd.plugin.platform.LiveState;
import dev.pipecd.plugin.platform.LiveStatePlugin;
import dev.pipecd.plugin.platform.Resource;
import dev.pipecd.wire.model.ApplicationLiveState;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.ResourceState;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import dev.pipecd.wire.plugin.livestate.GetLivestateRequest;
import dev.pipecd.wire.plugin.livestate.GetLivestateResponse;
import dev.pipecd.wire.plugin.livestate.LivestateServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.InstantSource;
import java.util.stream.Stream;

/// Answers what runs and whether it is what Git says; a plugin that knows neither has no such door.
public final class LiveStateDoor extends LivestateServiceGrpc.LivestateServiceImplBase {
    private final Served served;
    private final InstantSource clock;

    private LiveStateDoor(Served served, InstantSource clock) {
        this.served = served;
        this.clock = clock;
    }

    public static Stream<LiveStateDoor> of(Served served, InstantSource clock) {
        return served.plugin() instanceof LiveStatePlugin || served.plugin() instanceof DriftPlugin
                ? Stream.of(new LiveStateDoor(served, clock))
                : Stream.empty();
    }

    @Override
    public void getLivestate(
            GetLivestateRequest request, StreamObserver<GetLivestateResponse> observer) {
        Answering.answer(observer, () -> look(request));
    }

    private GetLivestateResponse look(GetLivestateRequest request)
            throws IOException, InterruptedException {
        var question =
                served.look(
                        request.getApplicationId(),
                        request.getApplicationName(),
                        request.getDeploySource(),
                        DeploymentSource.getDefaultInstance(),
                        request.getDeployTargetsList());
        var live =
                served.plugin() instanceof LiveStatePlugin shows
                        ? shows.liveState(question)
                        : LiveState.of();
        Drift drift =
                served.plugin() instanceof DriftPlugin tells
                        ? tells.drift(question, live)
                        : new Drift.Unknown("the plugin does not tell drift");
        return GetLivestateResponse.newBuilder()
                .setApplicationLiveState(wire(live))
                .setSyncState(wire(drift))
                .build();
    }

    private ApplicationLiveState wire(LiveState live) {
        var state = ApplicationLiveState.newBuilder().setHealthStatus(sum(live));
        for (var resource : live.resources()) state.addResources(wire(resource));
        return state.build();
    }

    private static ApplicationLiveState.Status sum(LiveState live) {
        var all = live.resources().stream().map(each -> each.health().status()).toList();
        if (all.contains(Health.Status.UNKNOWN)) return ApplicationLiveState.Status.UNKNOWN;
        return all.contains(Health.Status.UNHEALTHY)
                ? ApplicationLiveState.Status.OTHER
                : ApplicationLiveState.Status.HEALTHY;
    }

    private ResourceState wire(Resource resource) {
        var identity = resource.identity();
        return ResourceState.newBuilder()
                .setId(identity.id())
                .addAllParentIds(resource.parents())
                .setName(identity.name())
                .setResourceType(identity.type())
                .putAllResourceMetadata(resource.facts())
                .setHealthStatus(
                        switch (resource.health().status()) {
                            case UNKNOWN -> ResourceState.HealthStatus.UNKNOWN;
                            case HEALTHY -> ResourceState.HealthStatus.HEALTHY;
                            case UNHEALTHY -> ResourceState.HealthStatus.UNHEALTHY;
                        })
                .setHealthDescription(resource.health().reason())
                .setDeployTarget(identity.target())
                .setPluginName(served.name())
                // One resource without a date would have the whole snapshot refused.
                .setCreatedAt(Math.max(1, resource.createdAt().getEpochSecond()))
                .setUpdatedAt(clock.instant().getEpochSecond())
                .build();
    }

    private ApplicationSyncState wire(Drift drift) {
        var state =
                ApplicationSyncState.newBuilder().setTimestamp(clock.instant().getEpochSecond());
        return switch (drift) {
            case Drift.None() -> state.setStatus(ApplicationSyncStatus.SYNCED).build();
            case Drift.Drifted(var summary, var details) ->
                    state.setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                            .setShortReason(summary)
                            .setReason(details)
                            .build();
            case Drift.Unreadable(var summary, var details) ->
                    state.setStatus(ApplicationSyncStatus.INVALID_CONFIG)
                            .setShortReason(summary)
                            .setReason(details)
                            .build();
            case Drift.Unknown(var reason) ->
                    state.setStatus(ApplicationSyncStatus.UNKNOWN).setShortReason(reason).build();
        };
    }
}
