// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import dev.pipecd.agent.plugin.LiveState;
import dev.pipecd.agent.report.Marks;
import dev.pipecd.config.Warning;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot.Status;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.ResourceState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// What all plugins of an application saw, put together.
///
/// @param whole whether all of them could look: unknown is not empty
record Picture(List<ResourceState> resources, ApplicationSyncState drift, boolean whole) {
    /// The first that one of the plugins says is what the application is.
    private static final List<ApplicationSyncStatus> WORST_FIRST =
            List.of(
                    ApplicationSyncStatus.DEPLOYING,
                    ApplicationSyncStatus.INVALID_CONFIG,
                    ApplicationSyncStatus.OUT_OF_SYNC,
                    ApplicationSyncStatus.UNKNOWN,
                    ApplicationSyncStatus.SYNCED);

    /// Of resources in one report: a control plane takes 4 MiB, and something stands around them.
    private static final long MOST = 7 << 19;

    /// What a resource takes in the list beside itself.
    private static final int AROUND = 8;

    Picture {
        resources = List.copyOf(resources);
    }

    /// @param seen by plugin, in the order they were asked
    /// @param problems of plugins that could not look
    static Picture of(Map<String, LiveState.Seen> seen, List<String> problems, Instant now) {
        var resources = new ArrayList<ResourceState>();
        seen.forEach((plugin, state) ->
                state.resources().stream()
                        .filter(resource -> !resource.getId().isEmpty())
                        .map(resource -> complete(resource, plugin, now))
                        .forEach(resources::add));
        var told = new ArrayList<ApplicationSyncState>();
        seen.values().forEach(state -> told.add(state.drift()));
        problems.forEach(problem -> told.add(unknown(problem)));
        return new Picture(resources, merged(told, now), problems.isEmpty());
    }

    /// With what the file says without effect, beside all else that is well.
    Picture beside(List<Warning> warnings) {
        if (warnings.isEmpty() || drift.getStatus() != ApplicationSyncStatus.SYNCED) return this;
        var reason = joined(List.of(drift.getReason(), Marks.told(warnings)));
        return new Picture(resources, drift.toBuilder().setReason(reason).build(), whole);
    }

    /// The control plane refuses a whole snapshot for one resource without name or time.
    private static ResourceState complete(ResourceState resource, String plugin, Instant now) {
        var complete = resource.toBuilder().setPluginName(plugin);
        if (resource.getName().isEmpty()) complete.setName(resource.getId());
        if (resource.getCreatedAt() <= 0) complete.setCreatedAt(now.getEpochSecond());
        if (resource.getUpdatedAt() <= 0) complete.setUpdatedAt(complete.getCreatedAt());
        if (resource.getHealthStatus() == ResourceState.HealthStatus.UNRECOGNIZED)
            complete.setHealthStatus(ResourceState.HealthStatus.UNKNOWN);
        return complete.build();
    }

    /// As many resources as one report can carry; one more then tells how many are missing.
    List<ResourceState> fitting(Instant now) {
        var size = 0L;
        for (var shown = 0; shown < resources.size(); shown++) {
            size += resources.get(shown).getSerializedSize() + AROUND;
            if (size <= MOST) continue;
            var fitting = new ArrayList<>(resources.subList(0, shown));
            fitting.add(missing(resources.get(shown), resources.size() - shown, now));
            return fitting;
        }
        return resources;
    }

    private static ResourceState missing(ResourceState first, int count, Instant now) {
        return ResourceState.newBuilder()
                .setId("pipecd/missing")
                .setName("… and %d more: too many for one report".formatted(count))
                .setPluginName(first.getPluginName())
                .setDeployTarget(first.getDeployTarget())
                .setCreatedAt(now.getEpochSecond())
                .setUpdatedAt(now.getEpochSecond())
                .build();
    }

    private static ApplicationSyncState unknown(String problem) {
        return ApplicationSyncState.newBuilder()
                .setStatus(ApplicationSyncStatus.UNKNOWN)
                .setShortReason("a plugin cannot tell")
                .setReason(problem)
                .build();
    }

    private static ApplicationSyncState merged(List<ApplicationSyncState> told, Instant now) {
        var worst =
                WORST_FIRST.stream()
                        .filter(status -> told.stream().anyMatch(t -> t.getStatus() == status))
                        .findFirst()
                        .orElse(ApplicationSyncStatus.UNKNOWN);
        return ApplicationSyncState.newBuilder()
                .setStatus(worst)
                .setShortReason(
                        joined(told.stream().map(ApplicationSyncState::getShortReason).toList()))
                .setReason(joined(told.stream().map(ApplicationSyncState::getReason).toList()))
                .setTimestamp(now.getEpochSecond())
                .build();
    }

    private static String joined(List<String> reasons) {
        return reasons.stream()
                .filter(reason -> !reason.isBlank())
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    /// The same as long as nothing but the time has changed: plugins date what they see anew.
    int digest() {
        return resources.stream()
                .map(r -> r.toBuilder().clearCreatedAt().clearUpdatedAt().build())
                .toList()
                .hashCode();
    }

    /// One that is unhealthy makes the application so; of nothing nothing is known.
    Status health() {
        if (any(ResourceState.HealthStatus.UNHEALTHY)) return Status.UNHEALTHY;
        return resources.isEmpty() || any(ResourceState.HealthStatus.UNKNOWN)
                ? Status.UNKNOWN
                : Status.HEALTHY;
    }

    private boolean any(ResourceState.HealthStatus status) {
        return resources.stream().anyMatch(resource -> resource.getHealthStatus() == status);
    }
}
