// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.piped.ReportApplicationLiveStateRequest;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportUnregisteredApplicationConfigurationsRequest;
import java.util.List;

/// Tells the control plane what is seen again anyhow if it does not arrive: not recorded, so that a
/// large fleet does not fill the journal. A `Problem` while the control plane is away.
public record StateReports(ControlPlaneClient controlPlane) {
    public void liveState(ApplicationLiveStateSnapshot snapshot) {
        controlPlane.ask(stub ->
                stub.reportApplicationLiveState(
                        ReportApplicationLiveStateRequest.newBuilder()
                                .setSnapshot(snapshot)
                                .build()));
    }

    public void syncState(ApplicationId id, ApplicationSyncState state) {
        controlPlane.ask(stub ->
                stub.reportApplicationSyncState(
                        ReportApplicationSyncStateRequest.newBuilder()
                                .setApplicationId(id.value())
                                .setState(state)
                                .build()));
    }

    /// All configurations that nobody has registered: replaces what was told before.
    public void unregistered(List<ApplicationInfo> found) {
        controlPlane.ask(stub ->
                stub.reportUnregisteredApplicationConfigurations(
                        ReportUnregisteredApplicationConfigurationsRequest.newBuilder()
                                .addAllApplications(found)
                                .build()));
    }
}
