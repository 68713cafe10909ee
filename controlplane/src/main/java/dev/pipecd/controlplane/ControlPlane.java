// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.controlplane.access.Accounts;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The composition root: opens everything in the order of the walk and closes it in reverse.
public final class ControlPlane implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControlPlane.class);
    private static final int SHORTEST_KEY = 32;

    private final Outside outside;

    private ControlPlane(Outside outside) {
        this.outside = outside;
    }

    static ControlPlane start(ServerOptions options) {
        var clock = InstantSource.system();
        var config = config(options.places().config());
        var key = key(options.places().encryptionKey());
        var inside =
                new Inside(
                        new Changes(new NoTrail()),
                        new NoKeys(),
                        id -> admin(config, id),
                        _ -> List.of(),
                        List::of,
                        () -> config.webhook().secret().reveal(),
                        new Inside.Handlers(
                                new PipedServiceGrpc.PipedServiceImplBase() {},
                                new WebServiceGrpc.WebServiceImplBase() {},
                                new APIServiceGrpc.APIServiceImplBase() {}));
        return new ControlPlane(Outside.open(options, inside, key, Outside.Beat.usual(), clock));
    }

    private static ControlPlaneConfig config(Path file) {
        var loaded = Documents.controlPlane(file.toString(), bytes("--config-file", file));
        loaded.warnings().forEach(w -> log.warn("{}", w));
        log.info("configuration:\n{}", loaded.masked());
        return loaded.value();
    }

    private static byte[] key(Path file) {
        var key = bytes("--encryption-key-file", file);
        if (key.length < SHORTEST_KEY)
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "--encryption-key-file: %d bytes (expected: at least %d)"
                            .formatted(key.length, SHORTEST_KEY),
                    "Make one with `openssl rand 64 | base64`.");
        return key;
    }

    private static byte[] bytes(String flag, Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "%s: %s (expected: a file this process may read)".formatted(flag, file),
                    "Check path, owner and mode: " + e,
                    e);
        }
    }

    private static Optional<Accounts.StaticAdmin> admin(ControlPlaneConfig config, ProjectId id) {
        return config.projects().stream()
                .filter(p -> p.id().equals(id) && p.staticAdmin().enabled())
                .map(p -> p.staticAdmin())
                .map(a -> new Accounts.StaticAdmin(a.username(), a.passwordHash().reveal()))
                .findFirst();
    }

    public Optional<Integer> port(String name) {
        return outside.port(name);
    }

    @Override
    public void close() {
        log.info("stopping");
        outside.close();
        log.info("stopped");
    }

    private static final class NoTrail implements Changes.ChangeStore {
        @Override
        public List<Change> since(ProjectId project, long cursor, int limit) {
            return List.of();
        }

        @Override
        public long latest() {
            return 0;
        }
    }

    private static final class NoKeys implements Keyring {
        @Override
        public Caller.Agent agent(Credentials.PipedToken token) {
            throw Credentials.unauthenticated();
        }

        @Override
        public Caller.KeyHolder keyHolder(Credentials.ApiKey key) {
            throw Credentials.unauthenticated();
        }
    }
}
