// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Datastore;
import dev.pipecd.config.read.Documents;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.access.RecentKeys;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.controlplane.http.Webhook;
import dev.pipecd.controlplane.server.GrpcDoors;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.engine.Dsn;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectStaticUser;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The composition root: opens everything in the order of the walk and closes it in reverse.
final class ControlPlane implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControlPlane.class);
    private static final int SHORTEST_KEY = 32;

    private final Features features;
    private final Outside outside;
    private final Chores chores;

    private ControlPlane(Features features, Outside outside, Chores chores) {
        this.features = features;
        this.outside = outside;
        this.chores = chores;
    }

    static ControlPlane start(ServerOptions options) {
        GrpcDoors.loadAhead();
        var clock = clock();
        var key = key(options.places().encryptionKey());
        var config = config(options.places().config());
        var features = Features.open(settings(config, options, key), clock, ids());
        try {
            var keys = new RecentKeys(new Keys(features), clock);
            var _ = features.changes().listen(keys::hear);
            var inside = inside(features, keys, config);
            var outside = Outside.open(options, inside, key, Outside.Beat.usual(), clock);
            features.people().figures().start();
            var chores = new Chores(features.delivery()::lookAfter, Duration.ofMinutes(1));
            return new ControlPlane(features, outside, chores);
        } catch (RuntimeException e) {
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
                features.commands()::unhandled,
                () -> watched(features),
                () -> config.webhook().secret().reveal(),
                new Inside.Handlers(
                        features.doors().piped(),
                        features.doors().web(),
                        features.doors().api(),
                        features.doors().own()));
    }

    /// What enabled agents reported to watch.
    private static List<Webhook.Watched> watched(Features features) {
        return features.projects().all().stream()
                .flatMap(p -> watched(features, new ProjectId(p.getId())))
                .toList();
    }

    private static Stream<Webhook.Watched> watched(Features features, ProjectId project) {
        return features.pipeds().enabled(project).stream()
                .flatMap(piped ->
                        piped.getRepositoriesList().stream()
                                .map(r ->
                                        new Webhook.Watched(
                                                project,
                                                new PipedId(piped.getId()),
                                                r.getId(),
                                                r.getRemote(),
                                                r.getBranch())));
    }

    static ControlPlaneConfig config(GivenFile file) {
        try {
            var loaded = Documents.controlPlane(file.place(), file.document());
            loaded.warnings().forEach(w -> log.warn("{}", w));
            log.info("configuration:\n{}", loaded.masked().strip());
            return loaded.value();
        } catch (ConfigException e) {
            throw e.problem();
        }
    }

    private static Features.Settings settings(
            ControlPlaneConfig config, ServerOptions options, byte[] key) {
        var data = options.places().data();
        return new Features.Settings(
                database(config.storage().datastore(), data),
                new FileStores.Place(config.storage().filestore(), data.resolve("files")),
                CacheAddress.of(options.places().cache(), config.storage().cache()),
                config.address(),
                config.projects().stream().map(ControlPlane::project).toList(),
                options.releases(),
                new Features.SignOnSettings(config.login().sharedSso(), new Seal(key)));
    }

    private static Project project(ControlPlaneConfig.Project project) {
        var admin = project.staticAdmin();
        return Project.newBuilder()
                .setId(project.id().value())
                .setDesc(project.desc())
                .setSharedSsoName(project.sharedSso())
                .setAllowStrayAsViewer(project.allowStrayAsViewer())
                .setStaticAdmin(
                        ProjectStaticUser.newBuilder()
                                .setUsername(admin.username())
                                .setPasswordHash(admin.passwordHash().reveal()))
                .build();
    }

    static Database.Place database(Datastore datastore, Path data) {
        return switch (datastore) {
            case Datastore.Unset() -> new Database.Place.File(data.resolve("pipecd.db"));
            case Datastore.Sqlite(var path) ->
                    new Database.Place.File(
                            path.isEmpty() ? data.resolve("pipecd.db") : Path.of(path));
            case Datastore.MySql(var server) -> new Database.Place.Server(Dsn.of(server), "MYSQL");
            case Datastore.MariaDb(var server) ->
                    new Database.Place.Server(Dsn.of(server), "MARIADB");
            case Datastore.Firestore _ ->
                    throw later("datastore.type: FIRESTORE", "SQLITE, MYSQL, MARIADB");
        };
    }

    private static Problem later(String setting, String known) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "%s (expected: %s, or nothing)".formatted(setting, known),
                "This version keeps its data on its own disk only; leave the section out.");
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
        chores.close();
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
