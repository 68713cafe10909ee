// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.launch.Version;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import java.util.List;

/// What the control plane is told of this agent: what it watches, what it can deploy with, and how
/// secrets are sealed for it.
record Introduction(Loaded<PipedConfig> config, Secrets secrets) {
    static Introduction of(Loaded<PipedConfig> config) {
        return new Introduction(config, new Secrets(config.value().additions().secretManagement()));
    }

    ControlPlaneClient.Introduced to(ControlPlaneClient controlPlane) {
        return controlPlane.introduce(
                Version.text(),
                config.value().repositories().stream().map(Introduction::told).toList(),
                config.value().plugins().stream().map(Introduction::told).toList(),
                providers(),
                secrets.offered(),
                config.masked());
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

    private static ApplicationGitRepository told(PipedConfig.Repository repository) {
        return ApplicationGitRepository.newBuilder()
                .setId(repository.id().value())
                .setRemote(Repository.shown(repository.remote()))
                .setBranch(repository.branch())
                .build();
    }

    private static Piped.Plugin told(PipedConfig.Plugin plugin) {
        return Piped.Plugin.newBuilder()
                .setName(plugin.name())
                .addAllDeployTargets(
                        plugin.deployTargets().stream()
                                .map(PipedConfig.DeployTarget::name)
                                .toList())
                .build();
    }
}
