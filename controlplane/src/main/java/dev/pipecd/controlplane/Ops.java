// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.launch.Version;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.http.AdminPages;
import dev.pipecd.controlplane.ops.Chores;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `pipecd ops`, put together: the chores beside servers, the owner's pages, and metrics.
final class Ops implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Ops.class);

    private final Features features;
    private final Ports ports;
    private final Chores chores;

    private Ops(Features features, Ports ports, Chores chores) {
        this.features = features;
        this.ports = ports;
        this.chores = chores;
    }

    static Ops start(OpsOptions options) {
        var clock = InstantSource.system();
        IdSource ids = () -> UUID.randomUUID().toString();
        var places = options.places();
        var configured = Configured.read(places.config(), places.data(), places.cache());
        if (configured.database() instanceof Database.Place.File(var file)) throw alone(file);
        var seal = new Seal(new byte[0]); // ops has no key, and seals nothing
        var features = Features.open(configured.settings(Optional.empty(), seal), clock, ids);
        var ports = new Ports(options.listening());
        try {
            var metrics = new Metrics(features.stores().cache().reads());
            listen(options, ports, features, configured.file(), metrics, clock);
            var chores = Upkeep.begin(features, configured.file(), ids.next(), clock);
            Upkeep.describe(chores, metrics);
            return new Ops(features, ports, chores);
        } catch (RuntimeException e) {
            ports.close();
            features.close();
            throw e;
        }
    }

    private static Problem alone(Path file) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "datastore: the file %s (expected: MYSQL or MARIADB)".formatted(file),
                "On SQLite the server does by itself what ops does: start `pipecd server` alone.");
    }

    private static void listen(
            OpsOptions options,
            Ports ports,
            Features features,
            ControlPlaneConfig config,
            Metrics metrics,
            InstantSource clock) {
        var numbers = options.ports();
        var scrape = new Scrape("ops", metrics, features);
        var admin = new AdminPages(scrape::text, options.metrics(), Version.text());
        ports.open(new Ports.Port("admin", "--admin-port", numbers.admin(), false), admin::mount);
        var pages = OwnersDoor.pages(features, config, options.trust(), metrics, clock);
        ports.open(new Ports.Port("HTTP", "--http-port", numbers.http(), false), pages::mount);
    }

    Optional<Integer> port(String name) {
        return ports.number(name);
    }

    @Override
    public void close() {
        log.info("stopping");
        ports.close();
        chores.close();
        features.close();
        log.info("stopped");
    }
}
