// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.launch.Version;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import java.util.List;

/// What the agent tells the control plane of itself when it begins.
record Introduction(Loaded<PipedConfig> config) {
    ControlPlaneClient.Introduced to(ControlPlaneClient controlPlane) {
        return controlPlane.introduce(
                Version.text(), repositories(), plugins(), providers(), config.masked());
    }

    private List<ApplicationGitRepository> repositories() {
        return config.value().repositories().stream()
                .map(r ->
                        ApplicationGitRepository.newBuilder()
                                .setId(r.id().value())
                                .setRemote(Repository.shown(r.remote()))
                                .setBranch(r.branch())
                                .build())
                .toList();
    }

    /// For pages that are older than plugins.
    private List<Piped.PlatformProvider> providers() {
        return config.value().plugins().stream()
                .flatMap(plugin -> plugin.deployTargets().stream())
                .filter(target -> !target.providerType().isEmpty())
                .map(target ->
                        Piped.PlatformProvider.newBuilder()
                                .setName(target.name())
                                .setType(target.providerType())
                                .build())
                .toList();
    }

    private List<Piped.Plugin> plugins() {
        return config.value().plugins().stream()
                .map(p ->
                        Piped.Plugin.newBuilder()
                                .setName(p.name())
                                .addAllDeployTargets(
                                        p.deployTargets().stream()
                                                .map(PipedConfig.DeployTarget::name)
                                                .toList())
                                .build())
                .toList();
    }
}
