// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.wire.model.Deployment;
import java.util.Optional;
import java.util.function.Supplier;

/// The agent that tells, and where people can look at what it tells of.
///
/// @param webAddress of the control plane's pages; empty while it is not known
public record Sender(
        String projectId,
        String pipedId,
        String name,
        String version,
        Supplier<String> webAddress) {
    /// An agent without a name is known by its id.
    public static Sender of(PipedConfig.Identity who, String version, Supplier<String> webAddress) {
        return new Sender(
                who.projectId().value(),
                who.pipedId().value(),
                who.name().isEmpty() ? who.pipedId().value() : who.name(),
                version,
                webAddress);
    }

    Optional<String> page(Deployment deployment) {
        return page("deployments/" + deployment.getId(), deployment.getProjectId());
    }

    Optional<String> applicationPage(String application) {
        return page("applications/" + application, projectId);
    }

    Optional<String> ownPage() {
        return page("settings/piped", projectId);
    }

    private Optional<String> page(String path, String project) {
        var base = webAddress.get().replaceFirst("/+$", "");
        return base.isEmpty()
                ? Optional.empty()
                : Optional.of("%s/%s?project=%s".formatted(base, path, project));
    }
}
