// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.launch.Home;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipecd server`: runs the control plane until it is told to stop.
@Command(
        name = "server",
        description = "Runs the control plane.",
        sortOptions = false,
        mixinStandardHelpOptions = false)
final class ServerCommand implements Callable<Integer> {
    private static final Logger log = LoggerFactory.getLogger(ServerCommand.class);

    @Mixin CommonFlags common = new CommonFlags();

    @Option(
            names = "--config-file",
            required = true,
            description = "The control plane's configuration: a path, env:NAME or s3://bucket/key.")
    String configFile = "";

    @Option(
            names = "--encryption-key-file",
            required = true,
            description =
                    "The key sessions and stored secrets are protected with, 32 bytes or more: a path, env:NAME or s3://bucket/key.")
    String encryptionKeyFile = "";

    @Option(
            names = "--data-dir",
            defaultValue = "~/.pipecd",
            description = "Where data lives unless the configuration says otherwise.")
    Path dataDir = Path.of("");

    @Mixin PortFlags ports = new PortFlags();

    @Mixin ServingFlags serving = new ServingFlags();

    @Option(
            names = "--cache-address",
            defaultValue = "",
            description =
                    "Redis, which several servers share: host:port, redis://… or rediss://…, or env:NAME"
                            + " (default: cache.address, else this process).")
    String cacheAddress = "";

    @Override
    public Integer call() throws InterruptedException {
        common.configureLogging();
        try {
            serve();
            return 0;
        } catch (Problem problem) {
            log.error("{}", problem.told());
            return 1;
        }
    }

    private void serve() throws InterruptedException {
        UntilStopped.run(() -> ControlPlane.start(options())::close);
    }

    private ServerOptions options() {
        return new ServerOptions(
                ports.numbers(),
                new Ports.Settings(
                        Optional.of(ports.host).filter(h -> !h.isEmpty()),
                        serving.certificate(),
                        serving.gracePeriod),
                new ServerOptions.Places(
                        new GivenFile("--config-file", configFile),
                        new GivenFile("--encryption-key-file", encryptionKeyFile),
                        new Home(System.getenv()).resolve(dataDir),
                        serving.webApplication(),
                        cacheAddress),
                new ServerOptions.Trust(serving.insecureCookie, serving.trustForwardedFor),
                common.metrics(),
                serving.reflection,
                serving.releases());
    }
}
