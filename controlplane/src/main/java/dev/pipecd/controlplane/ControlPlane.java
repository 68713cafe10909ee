// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.access.RecentKeys;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.agentapi.LinkDoor;
import dev.pipecd.controlplane.http.Webhook;
import dev.pipecd.controlplane.ops.Chores;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The composition root: opens everything in the order of the walk and closes it in reverse.
final class ControlPlane implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControlPlane.class);
    private static final int SHORTEST_KEY = 32;

    private final Features features;
    private final Outside outside;
    private final List<Chores> chores;
    private final Ports ownersPort;

    private ControlPlane(
            Features features, Outside outside, List<Chores> chores, Ports ownersPort) {
        this.features = features;
        this.outside = outside;
        this.chores = chores;
        this.ownersPort = ownersPort;
    }

    static ControlPlane start(ServerOptions options) {
        var clock = clock();
        var key = key(options.places().encryptionKey());
        var places = options.places();
        var configured = Configured.read(places.config(), places.data(), places.cache());
        var config = configured.file();
        var ids = ids();
        var features =
                Features.open(configured.settings(options.releases(), new Seal(key)), clock, ids);
        var ownersPort = new Ports(options.listening());
        try {
            var keys = new RecentKeys(new Keys(features), clock);
            var _ = features.changes().listen(keys::hear);
            var inside = inside(features, keys, config);
            var metrics = new Metrics(features.stores().cache().reads());
            openOwnersPages(ownersPort, options.trust(), features, config, metrics, clock);
            var outside =
                    Outside.open(
                            options,
                            inside,
                            key,
                            Outside.Beat.usual(),
                            clock,
                            metrics,
                            told(metrics, features));
            features.people().figures().start();
            var process = ids.next();
            var chores =
                    List.of(
                            Upkeep.listen(features, process, clock),
                            Upkeep.begin(features, config, process, clock));
            Upkeep.describe(chores.getLast(), metrics);
            return new ControlPlane(features, outside, chores, ownersPort);
        } catch (RuntimeException e) {
            ownersPort.close();
            features.close();
            throw e;
        }
    }

    static InstantSource clock() {
        return InstantSource.system();
    }

    static IdSource ids() {
        return () -> UUID.randomUUID().toString();
    }

    /// Where there is no ops beside it, a server tells of agents too.
    private static Supplier<byte[]> told(Metrics metrics, Features features) {
        if (features.stores().database().shared()) return metrics::text;
        return new Scrape("server", metrics, features)::text;
    }

    private static void openOwnersPages(
            Ports port,
            ServerOptions.Trust trust,
            Features features,
            ControlPlaneConfig config,
            Metrics metrics,
            InstantSource clock) {
        var number = config.ops().port();
        if (number <= 0) return;
        var pages = OwnersDoor.pages(features, config, trust, metrics, clock);
        port.open(new Ports.Port("owner's pages", "ops.port", number, false), pages::mount);
    }

    private static Inside inside(Features features, Keyring keys, ControlPlaneConfig config) {
        return new Inside(
                features.changes(),
                keys,
                new Inside.People(
                        features.projects(),
                        features.people().sessions(),
                        features.people().ways(),
                        config.address(),
                        () -> config.login().stateKey().reveal(),
                        features.people().audit()),
                new LinkDoor.Behind(
                        features.commands()::unhandled, features.leases(), features.health()::told),
                pushed -> watched(features, pushed),
                () -> config.webhook().secret().reveal(),
                new Inside.Handlers(
                        features.doors().piped(),
                        features.doors().web(),
                        features.doors().api(),
                        features.doors().own()));
    }

    private static List<Webhook.Watched> watched(Features features, Webhook.Pushed pushed) {
        return features
                .pipeds()
                .watching(r -> pushed.concerns(r.getRemote(), r.getBranch()))
                .stream()
                .flatMap(piped ->
                        piped.getRepositoriesList().stream()
                                .map(r ->
                                        new Webhook.Watched(
                                                new ProjectId(piped.getProjectId()),
                                                new PipedId(piped.getId()),
                                                r.getId())))
                .toList();
    }

    static byte[] key(GivenFile file) {
        var key = file.bytes();
        if (key.length < SHORTEST_KEY)
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "%s: %d bytes (expected: at least %d)"
                            .formatted(file.flag(), key.length, SHORTEST_KEY),
                    "Make one with `openssl rand 64 | base64`.");
        return key;
    }

    Optional<Integer> port(String name) {
        return outside.port(name);
    }

    /// Callers first, so that what they were promised is on disk before the stores close.
    @Override
    public void close() {
        log.info("stopping");
        outside.close();
        ownersPort.close();
        chores.forEach(Chores::close);
        features.close();
        log.info("stopped");
    }

    private record Keys(Features features) implements Keyring {
        @Override
        public Caller.Agent agent(Credentials.PipedToken token) {
            return features.pipedKeys().verify(token.project(), token.piped(), token.key());
        }

        @Override
        public Caller.KeyHolder keyHolder(Credentials.ApiKey key) {
            return features.apiKeys().verify(key.key());
        }
    }
}
