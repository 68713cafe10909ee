// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.config.launch.Home;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipecd ops`: does what is to be done now and then, until it is told to stop. Any number may
/// run; one of them is active.
@Command(
        name = "ops",
        description = "Runs the chores of a control plane and its owner's pages.",
        sortOptions = false,
        mixinStandardHelpOptions = false)
final class OpsCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(OpsCommand.class);

    @Mixin CommonFlags common = new CommonFlags();

    @Option(
            names = "--config-file",
            required = true,
            description = "The servers' configuration: a path, env:NAME or s3://bucket/key.")
    String configFile = "";

    @Option(
            names = "--data-dir",
            defaultValue = "~/.pipecd",
            description = "Where files live unless the configuration says otherwise.")
    Path dataDir = Path.of("");

    @Option(
            names = {"--host", "--address-bind"},
            description = "The interface to listen on (default: all).")
    String host = "";

    @Option(
            names = "--http-port",
            defaultValue = "9082",
            description = "The owner's pages. A port below 0 stays closed, 0 is any free one.")
    int httpPort;

    @Option(
            names = "--admin-port",
            defaultValue = "9085",
            description = "Health, version, metrics of this process and of all agents.")
    int adminPort;

    @Option(
            names = "--cache-address",
            defaultValue = "",
            description =
                    "Redis, which servers share: host:port, redis://… or rediss://…, or env:NAME"
                            + " (default: cache.address).")
    String cacheAddress = "";

    @Option(
            names = "--grace-period",
            defaultValue = "15s",
            converter = GoFlags.Durations.class,
            description = "How long requests may go on when it is told to stop.")
    Duration gracePeriod = Duration.ZERO;

    @Option(
            names = "--gcloud-path",
            defaultValue = "",
            description = "Accepted, without effect: there is no Firestore here.")
    String gcloudPath = "";

    @Option(
            names = "--insecure-cookie",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "Cookies also without TLS.")
    boolean insecureCookie;

    @Option(
            names = "--trust-forwarded-for",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description =
                    "Believe the last address of X-Forwarded-For, because a proxy of yours adds it;"
                            + " without it the address is that of the connection, also on this"
                            + " host.")
    boolean trustForwardedFor;

    @Override
    public Integer call() throws InterruptedException {
        common.configureLogging();
        try {
            run();
            return 0;
        } catch (Problem problem) {
            log.error("{}", problem.told());
            return 1;
        }
    }

    private void run() throws InterruptedException {
        UntilStopped.run(() -> Ops.start(options())::close);
    }

    private OpsOptions options() {
        return new OpsOptions(
                new OpsOptions.Numbers(httpPort, adminPort),
                new Ports.Settings(
                        Optional.of(host).filter(h -> !h.isEmpty()), Optional.empty(), gracePeriod),
                new OpsOptions.Places(
                        new GivenFile("--config-file", configFile),
                        new Home(System.getenv()).resolve(dataDir),
                        cacheAddress),
                new ServerOptions.Trust(insecureCookie, trustForwardedFor),
                common.metrics());
    }
}
