// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.wire.model.Piped;
import java.time.InstantSource;

/// What an agent tells about itself.
public final class PipedReports {
    /// In characters; those of a usual one are a few thousand.
    private static final int LONGEST_CONFIG = 256 * 1024;

    private static final int MOST_TOLD = 256 * 1024;

    private final PipedStore store;
    private final Heartbeats heartbeats;
    private final InstantSource clock;

    public PipedReports(PipedStore store, Heartbeats heartbeats, InstantSource clock) {
        this.store = store;
        this.heartbeats = heartbeats;
        this.clock = clock;
    }

    /// @param metrics in Prometheus' text form
    public void alive(Agent agent, byte[] metrics) {
        heartbeats.beat(agent, metrics);
    }

    public void alive(Agent agent) {
        heartbeats.beat(agent.piped());
    }

    /// It has started: takes over version, configuration, providers, plugins, repositories and
    /// encryption from `told`. Answers the agent as stored.
    public Piped started(Agent agent, Piped told) {
        heartbeats.beat(agent.piped());
        var now = clock.instant().getEpochSecond();
        return store.update(
                        agent.piped(),
                        agent.name(),
                        piped ->
                                new Edit.Changed<>(
                                        taken(piped, told).setStartedAt(now).build(), "started"))
                .orElseThrow(() -> Ownership.notFound("piped", agent.piped().value()));
    }

    @SuppressWarnings("deprecation") // old agents still send providers
    private static Piped.Builder taken(Piped piped, Piped told) {
        var taken =
                piped.toBuilder()
                        .setVersion(told.getVersion())
                        .setConfig(shown(told.getConfig()))
                        .clearCloudProviders()
                        .clearPlatformProviders()
                        .addAllPlatformProviders(told.getPlatformProvidersList())
                        .clearPlugins()
                        .addAllPlugins(told.getPluginsList())
                        .clearRepositories()
                        .addAllRepositories(told.getRepositoriesList())
                        .clearSecretEncryption();
        if (told.hasSecretEncryption()) taken.setSecretEncryption(told.getSecretEncryption());
        Pipeds.limit(taken.build().toBuilder().clearConfig().build(), MOST_TOLD);
        return taken;
    }

    /// It is only for people to look at: an agent whose configuration is too long works as well.
    private static String shown(String config) {
        return config.length() <= LONGEST_CONFIG
                ? config
                : config.substring(0, LONGEST_CONFIG) + "\n# The rest is too long to be kept.\n";
    }

    /// The version its launcher shall run, or empty.
    public String desiredVersion(Agent agent) {
        return store.known(agent.piped()).map(Piped::getDesiredVersion).orElse("");
    }
}
