// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.livestate;

import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationLiveStateVersion;
import dev.pipecd.wire.model.KubernetesResourceState;
import dev.pipecd.wire.model.KubernetesResourceState.HealthStatus;
import dev.pipecd.wire.model.KubernetesResourceStateEvent;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A snapshot with some of its resources replaced or taken out.
final class Patch {
    private static final Comparator<ApplicationLiveStateVersion> BY_AGE =
            Comparator.comparingLong(ApplicationLiveStateVersion::getTimestamp)
                    .thenComparingLong(ApplicationLiveStateVersion::getIndex);

    private Patch() {}

    /// Events older than the snapshot are in it already.
    static ApplicationLiveStateSnapshot of(
            ApplicationLiveStateSnapshot snapshot, List<KubernetesResourceStateEvent> events) {
        var resources = new LinkedHashMap<String, KubernetesResourceState>();
        snapshot.getKubernetes().getResourcesList().forEach(r -> resources.put(r.getId(), r));
        for (var event : events) {
            if (BY_AGE.compare(event.getSnapshotVersion(), snapshot.getVersion()) < 0) continue;
            var id = event.getState().getId();
            if (event.getType() == KubernetesResourceStateEvent.Type.DELETED) resources.remove(id);
            else resources.put(id, event.getState());
        }
        var patched = snapshot.toBuilder().setHealthStatus(health(resources));
        patched.getKubernetesBuilder().clearResources().addAllResources(resources.values());
        return patched.build();
    }

    private static ApplicationLiveStateSnapshot.Status health(
            Map<String, KubernetesResourceState> resources) {
        return resources.values().stream().anyMatch(r -> r.getHealthStatus() == HealthStatus.OTHER)
                ? ApplicationLiveStateSnapshot.Status.OTHER
                : ApplicationLiveStateSnapshot.Status.HEALTHY;
    }
}
