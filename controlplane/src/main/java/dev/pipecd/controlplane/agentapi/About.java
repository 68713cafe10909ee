// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.piped.PipedReports;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;

/// What concerns the agent itself.
///
/// @param webAddress where people reach the web UI
public record About(PipedReports reports, String webAddress) {
    @SuppressWarnings("deprecation") // old agents still send providers
    static Piped told(ReportPipedMetaRequest request) {
        var told =
                Piped.newBuilder()
                        .setVersion(request.getVersion())
                        .setConfig(request.getConfig())
                        .addAllPlatformProviders(request.getPlatformProvidersList())
                        .addAllPlugins(request.getPluginsList())
                        .addAllRepositories(request.getRepositoriesList());
        for (var old : request.getCloudProvidersList())
            // some agents tell the same ones under both names
            if (request.getPlatformProvidersList().stream()
                    .noneMatch(p -> p.getName().equals(old.getName())))
                told.addPlatformProviders(
                        Piped.PlatformProvider.newBuilder()
                                .setName(old.getName())
                                .setType(old.getType()));
        if (request.hasSecretEncryption()) told.setSecretEncryption(request.getSecretEncryption());
        return told.build();
    }
}
