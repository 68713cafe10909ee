// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Datastore;
import dev.pipecd.config.read.Documents;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.controlplane.project.SsoAddresses;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.engine.Dsn;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectStaticUser;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the configuration file says, for server and ops alike.
///
/// @param data where things live that the file names no place for
/// @param cache the address a flag gives, or empty
record Configured(ControlPlaneConfig file, Path data, String cache) {
    private static final Logger log = LoggerFactory.getLogger(Configured.class);

    static final String ALONE = "this process, beside a database that servers may share";
    static final String ALONE_ADVICE =
            "Name a Redis with --cache-address or cache.address before a second server or ops"
                    + " is started: they would not see each other's agents.";

    static Configured read(GivenFile file, Path data, String cache) {
        try {
            var loaded = Documents.controlPlane(file.place(), file.document());
            loaded.warnings().forEach(w -> log.warn("{}", w));
            log.info("configuration:\n{}", loaded.masked().strip());
            var configured = new Configured(loaded.value(), data, cache);
            if (configured.standsAlone()) log.warn("cache: {}. {}", ALONE, ALONE_ADVICE);
            return configured;
        } catch (ConfigException e) {
            throw e.problem();
        }
    }

    /// Whether others could work beside it and nothing would tell it of them.
    boolean standsAlone() {
        return database() instanceof Database.Place.Server
                && !CacheAddress.of(cache, file.storage().cache()).address().isSet();
    }

    Features.Settings settings(Optional<URI> releases, Seal seal) {
        return new Features.Settings(
                database(),
                new FileStores.Place(file.storage().filestore(), data.resolve("files")),
                CacheAddress.of(cache, file.storage().cache()),
                file.address(),
                file.projects().stream().map(Configured::project).toList(),
                releases,
                new Features.SignOnSettings(
                        file.login().sharedSso(), seal, new SsoAddresses(file.login().ownSso())));
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

    Database.Place database() {
        return switch (file.storage().datastore()) {
            case Datastore.Unset() -> new Database.Place.File(data.resolve("pipecd.db"));
            case Datastore.Sqlite(var path) ->
                    new Database.Place.File(
                            path.isEmpty() ? data.resolve("pipecd.db") : Path.of(path));
            case Datastore.MySql(var server) -> new Database.Place.Server(Dsn.of(server), "MYSQL");
            case Datastore.MariaDb(var server) ->
                    new Database.Place.Server(Dsn.of(server), "MARIADB");
        };
    }
}
