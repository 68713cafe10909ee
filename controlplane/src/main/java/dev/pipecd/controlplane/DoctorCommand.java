// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.Secret;
import dev.pipecd.config.SharedSso;
import dev.pipecd.config.Warning;
import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.config.launch.Home;
import dev.pipecd.config.read.Documents;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.cache.CacheLook;
import dev.pipecd.controlplane.doctor.Check;
import dev.pipecd.controlplane.doctor.ClockLook;
import dev.pipecd.controlplane.doctor.DatabaseLooks;
import dev.pipecd.controlplane.doctor.Examination;
import dev.pipecd.controlplane.doctor.FilesLook;
import dev.pipecd.controlplane.doctor.Finding;
import dev.pipecd.controlplane.doctor.TlsLook;
import dev.pipecd.controlplane.doctor.Told;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `pipecd doctor`: looks at everything a server needs and says what to do, before it is started or
/// while it runs.
@Command(
        name = "doctor",
        sortOptions = false,
        description = {
            "Looks at everything `pipecd server` needs, given the same flags: configuration, encryption key,"
                    + " database and its schema, file store, cache, clocks, certificate, ports.",
            "Nothing is changed but a file and a cache field of its own, which are deleted again."
        },
        footer = {
            "",
            "Exit codes: 0 a server can start (there may be warnings), 1 something failed, 2 the command line is"
                    + " wrong.",
            "",
            "  pipecd doctor --config-file=control-plane.yaml --encryption-key-file=key",
            "  pipecd doctor --config-file=s3://bucket/control-plane.yaml -o json"
        })
final class DoctorCommand implements Callable<Integer> {
    @Mixin CommonFlags common = new CommonFlags();

    @Option(
            names = "--config-file",
            required = true,
            description = "The control plane's configuration: a path, env:NAME or s3://bucket/key.")
    String configFile = "";

    @Option(
            names = "--encryption-key-file",
            defaultValue = "",
            description = "The encryption key, in the same forms; without it, it is not looked at.")
    String encryptionKeyFile = "";

    @Option(
            names = "--data-dir",
            defaultValue = "~/.pipecd",
            description = "Where data lives unless the configuration says otherwise.")
    Path dataDir = Path.of("");

    @Option(names = "--cache-address", defaultValue = "", description = "Redis, as for the server.")
    String cacheAddress = "";

    @Mixin PortFlags ports = new PortFlags();

    @Mixin ServingFlags serving = new ServingFlags();

    @Option(
            names = "--timeout",
            defaultValue = "15s",
            converter = GoFlags.Durations.class,
            description = "How long to wait for whatever does not answer (default: 15s).")
    Duration timeout = Duration.ZERO;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            description = "table or json.")
    Output output = Output.table;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        common.configureLogging();
        var file = new GivenFile("--config-file", configFile);
        var examination = examined(file);
        var out = spec.commandLine().getOut();
        out.print(
                switch (output) {
                    case table -> Told.table(examination);
                    case json -> Told.json(examination);
                });
        out.flush();
        return examination.count(Finding.State.FAILED) > 0 ? 1 : 0;
    }

    /// Without a configuration there is nowhere to look, but for key, flags and ports.
    private Examination examined(GivenFile file) throws InterruptedException {
        Loaded<ControlPlaneConfig> loaded;
        try {
            loaded = Documents.controlPlane(file.place(), file.document());
        } catch (ConfigException e) {
            return Examination.of(unread(e.problem()), timeout);
        } catch (Problem e) {
            return Examination.of(unread(e), timeout);
        }
        return Examination.of(checks(loaded), timeout);
    }

    private List<Check> unread(Problem problem) {
        return Stream.concat(
                        Stream.of(
                                new Check(
                                        "config",
                                        () -> {
                                            throw problem;
                                        }),
                                key()),
                        Stream.concat(
                                Stream.of(
                                                "secrets",
                                                "database",
                                                "schema",
                                                "files",
                                                "cache",
                                                "clock")
                                        .map(name ->
                                                new Check(
                                                        name,
                                                        () ->
                                                                Finding.skipped(
                                                                        "the configuration cannot be read"))),
                                Stream.of(
                                        tls(),
                                        releases(),
                                        new Check("ports", ports.look(0, timeout)))))
                .toList();
    }

    private List<Check> checks(Loaded<ControlPlaneConfig> loaded) {
        var config = loaded.value();
        var storage = config.storage();
        var folder = new Home(System.getenv()).resolve(dataDir);
        var configured = new Configured(config, folder, cacheAddress);
        var clock = ControlPlane.clock();
        var probe = ControlPlane.ids().next();
        var database = new DatabaseLooks(() -> Database.look(configured.database(), clock));
        var files =
                new FilesLook(
                        new FileStores.Place(storage.filestore(), folder.resolve("files")),
                        probe,
                        clock);
        var address = CacheAddress.of(cacheAddress, storage.cache());
        return List.of(
                new Check("config", () -> config(loaded.warnings())),
                key(),
                new Check("secrets", () -> secrets(config)),
                new Check("database", database::database),
                new Check("schema", database::schema),
                new Check("files", files),
                new Check("cache", () -> cache(configured, address, probe)),
                new Check(
                        "clock",
                        new ClockLook(
                                List.of(
                                        new ClockLook.Source("database", database::ahead),
                                        new ClockLook.Source("file store", files::ahead)))),
                tls(),
                releases(),
                new Check("ports", ports.look(config.ops().port(), timeout)));
    }

    private Finding config(List<Warning> warnings) {
        if (warnings.isEmpty()) return Finding.ok(configFile + " is valid");
        return Finding.warning(
                warnings.stream().map(Warning::toString).collect(Collectors.joining("\n")),
                "Correct the lines named; what stands there has no effect.");
    }

    private Check key() {
        return new Check(
                "key",
                () -> {
                    if (encryptionKeyFile.isEmpty())
                        return Finding.skipped("--encryption-key-file is not given");
                    var key =
                            ControlPlane.key(
                                    new GivenFile("--encryption-key-file", encryptionKeyFile));
                    return Finding.ok("%d bytes".formatted(key.length));
                });
    }

    private Check tls() {
        return new Check("tls", new TlsLook(serving::certificate));
    }

    /// Only whether it is an address: a server starts without an answer from there.
    private Check releases() {
        return new Check(
                "releases",
                () ->
                        serving.releases()
                                .map(address -> Finding.ok("looked up at " + address))
                                .orElseGet(() -> Finding.ok("nobody is asked")));
    }

    /// Those of the stores are needed where those are looked at.
    private static Finding secrets(ControlPlaneConfig config) {
        var secrets =
                Stream.of(
                                Stream.of(
                                        config.login().stateKey(),
                                        config.webhook().secret(),
                                        config.ops().owner().passwordHash()),
                                config.projects().stream()
                                        .map(project -> project.staticAdmin().passwordHash()),
                                config.login().sharedSso().stream().flatMap(DoctorCommand::secrets))
                        .flatMap(each -> each)
                        .filter(Secret::isSet)
                        .toList();
        secrets.forEach(Secret::reveal);
        var odd =
                config.projects().stream()
                        .filter(p -> p.staticAdmin().enabled())
                        .filter(p ->
                                !p.staticAdmin()
                                        .passwordHash()
                                        .reveal()
                                        .matches("\\$2[aby]\\$\\d\\d\\$.{53}"))
                        .map(p -> p.id().value())
                        .toList();
        if (odd.isEmpty()) return Finding.ok("%d read".formatted(secrets.size()));
        return Finding.warning(
                "staticAdmin.passwordHash of %s: no bcrypt hash".formatted(String.join(", ", odd)),
                "Make one with `htpasswd -nbB \"\" PASSWORD`, without the leading colon; nobody can log in with this one.");
    }

    private static Stream<Secret> secrets(SharedSso sso) {
        return switch (sso.provider()) {
            case SharedSso.GitHub(var client, _, _, var proxy) ->
                    Stream.of(client.id(), client.secret(), proxy);
            case SharedSso.Oidc(var client, _, _, _, var proxy) ->
                    Stream.of(client.id(), client.secret(), proxy);
            case SharedSso.Google(var client) -> Stream.of(client.id(), client.secret());
        };
    }

    private Finding cache(Configured configured, CacheAddress address, String probe) {
        if (configured.standsAlone())
            return Finding.warning(Configured.ALONE, Configured.ALONE_ADVICE);
        if (!address.address().isSet())
            return Finding.ok("this process; several servers need a Redis");
        return Finding.ok(CacheLook.at(address, probe, timeout, ControlPlane.clock()).what());
    }

    /// Named as the flag's values are written.
    @SuppressWarnings("checkstyle:ConstantName")
    enum Output {
        table,
        json
    }
}
