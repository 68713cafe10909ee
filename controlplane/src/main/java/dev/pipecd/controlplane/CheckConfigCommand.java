// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Datastore;
import dev.pipecd.config.Filestore;
import dev.pipecd.config.Mistake;
import dev.pipecd.config.Secret;
import dev.pipecd.config.Warning;
import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.read.Documents;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.controlplane.store.engine.DatabaseServer;
import dev.pipecd.controlplane.store.engine.Dsn;
import dev.pipecd.domain.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pipecd check-config FILE`: tells every mistake of a configuration at once, before a server is
/// started with it.
@Command(
        name = "check-config",
        description = "Reads a control plane's configuration and tells every mistake in it.")
final class CheckConfigCommand implements Callable<Integer> {
    @Mixin CommonFlags common = new CommonFlags();

    @Parameters(
            paramLabel = "FILE",
            description = "The configuration: a path, env:NAME or s3://bucket/key.")
    String file = "";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    /// 0 when a server can start with it, 1 when not.
    @Override
    public Integer call() {
        common.configureLogging();
        var out = spec.commandLine().getOut();
        var problems = new ArrayList<Problem>();
        var mistakes = List.<Mistake>of();
        List<Warning> warnings;
        try {
            var document = new GivenFile("FILE", file).document();
            warnings =
                    Documents.controlPlane(file, document, config -> look(config, problems))
                            .warnings();
        } catch (ConfigException e) {
            mistakes = e.mistakes();
            warnings = e.warnings();
        } catch (Problem e) {
            out.println(e.told());
            return 1;
        }
        mistakes.forEach(out::println);
        problems.forEach(p -> out.println(file + ": " + p.told()));
        warnings.forEach(w -> out.println("warning: " + w));
        var number = mistakes.size() + problems.size();
        out.println(file + ": " + (number == 0 ? "valid" : number + " mistake(s)"));
        return number == 0 ? 0 : 1;
    }

    /// What only those who use it can read; references lead to things of another machine.
    private static void look(ControlPlaneConfig config, List<Problem> problems) {
        var storage = config.storage();
        switch (storage.datastore()) {
            case Datastore.Unset _, Datastore.Sqlite _ -> {}
            case Datastore.MySql(var server) -> attempt(problems, () -> look(server));
            case Datastore.MariaDb(var server) -> attempt(problems, () -> look(server));
        }
        attempt(problems, () -> look(storage.filestore()));
        attempt(problems, () -> look(storage.cache()));
    }

    private static void attempt(List<Problem> problems, Runnable look) {
        try {
            look.run();
        } catch (Problem e) {
            problems.add(e);
        }
    }

    private static void look(Datastore.Server server) {
        if (!server.url().standsHere()) return;
        // that none is named is told already
        var database = server.database().isEmpty() ? "named" : server.database();
        DatabaseServer.check(
                Dsn.ofUrl(
                        new Datastore.Server(
                                server.url(), database, server.username(), server.password())));
    }

    private static void look(Filestore filestore) {
        // that there is none is told already
        if (filestore instanceof Filestore.Minio minio && minio.endpoint().isEmpty()) return;
        FileStores.check(filestore);
    }

    private static void look(ControlPlaneConfig.Cache cache) {
        if (cache.address().standsHere())
            new CacheAddress(cache.address(), Secret.none(), "").check();
    }
}
