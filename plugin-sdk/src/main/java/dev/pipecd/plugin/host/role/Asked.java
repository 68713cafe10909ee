// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import dev.pipecd.plugin.platform.Planning;
import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.DeploymentFacts;
import dev.pipecd.plugin.stage.Source;
import dev.pipecd.plugin.stage.Surroundings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A question as it came over the wire; one that is no planning has a deployment of empty words.
record Asked(
        Surroundings around,
        DeploymentFacts deployment,
        Source source,
        List<Source> running,
        List<DeployTarget> deployTargets)
        implements Planning {
    Asked {
        running = List.copyOf(running);
        deployTargets = List.copyOf(deployTargets);
    }

    @Override
    public String applicationId() {
        return deployment.application().id();
    }

    @Override
    public String applicationName() {
        return deployment.application().name();
    }

    @Override
    public Optional<Source> runningSource() {
        return running.stream().findFirst();
    }

    @Override
    public <C> C config(Class<C> type) {
        return around.config(type);
    }

    @Override
    public <T> T config(DeployTarget target, Class<T> type) {
        return around.config(target, type);
    }

    @Override
    public Path tool(String name, String version, String script) throws InterruptedException {
        return around.tool(name, version, script);
    }

    @Override
    public Optional<byte[]> kept(String key) throws InterruptedException {
        return around.kept(key);
    }

    @Override
    public void keep(String key, byte[] content) throws InterruptedException {
        around.keep(key, content);
    }
}
