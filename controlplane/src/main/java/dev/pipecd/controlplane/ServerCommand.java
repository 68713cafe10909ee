// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.domain.Problem;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
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
            description =
                    "Where data lives unless the configuration says otherwise (default: ~/.pipecd).")
    Path dataDir = Path.of(System.getProperty("user.home", "."), ".pipecd");

    @Mixin PortFlags ports = new PortFlags();

    @Option(
            names = "--static-dir",
            description = "The built web application (default: web/static).")
    Optional<Path> staticDir = Optional.empty();

    @Option(
            names = "--cache-address",
            defaultValue = "",
            description =
                    "Redis, which several servers share: host:port, redis://… or rediss://…, or env:NAME"
                            + " (default: cache.address, else this process).")
    String cacheAddress = "";

    @Option(
            names = "--grace-period",
            defaultValue = "30s",
            converter = GoFlags.Durations.class,
            description = "How long calls may go on when the server is told to stop.")
    Duration gracePeriod = Duration.ZERO;

    @Option(
            names = "--tls",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "TLS on gRPC and gateway ports.")
    boolean tls;

    @Option(names = "--cert-file", defaultValue = "", description = "The certificate for --tls.")
    String certFile = "";

    @Option(names = "--key-file", defaultValue = "", description = "The key of the certificate.")
    String keyFile = "";

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
            description = "Believe X-Forwarded-For, because a proxy of yours writes it.")
    boolean trustForwardedFor;

    @Option(
            names = "--enable-grpc-reflection",
            arity = "1",
            converter = GoFlags.Booleans.class,
            defaultValue = "false",
            description = "Let tools ask which gRPC services there are.")
    boolean reflection;

    @Option(
            names = "--releases-url",
            defaultValue = "https://api.github.com/repos/pipe-cd/pipecd/releases",
            description = "Where released versions of agents are listed; empty asks nobody.")
    String releasesUrl = "";

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
        var server = ControlPlane.start(options());
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name("stop")
                                .unstarted(() -> {
                                    server.close();
                                    stopped.countDown();
                                }));
        stopped.await();
    }

    private ServerOptions options() {
        return new ServerOptions(
                ports.numbers(),
                new Ports.Settings(
                        Optional.of(ports.host).filter(h -> !h.isEmpty()),
                        certificate(),
                        gracePeriod),
                new ServerOptions.Places(
                        new GivenFile("--config-file", configFile),
                        new GivenFile("--encryption-key-file", encryptionKeyFile),
                        dataDir,
                        webApplication(),
                        cacheAddress),
                new ServerOptions.Trust(insecureCookie, trustForwardedFor),
                common.metrics(),
                reflection,
                releases());
    }

    private Optional<URI> releases() {
        try {
            return Optional.of(releasesUrl).filter(u -> !u.isEmpty()).map(URI::create);
        } catch (IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "--releases-url: %s (expected: a URL, or nothing)".formatted(releasesUrl),
                    "Give the address of a list of releases in GitHub's form.",
                    e);
        }
    }

    private Optional<Ports.Tls> certificate() {
        if (!tls) return Optional.empty();
        if (certFile.isEmpty() || keyFile.isEmpty())
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "--cert-file, --key-file: not given (expected: both, because of --tls)",
                    "Name the certificate and its key.");
        return Optional.of(new Ports.Tls(new File(certFile), new File(keyFile)));
    }

    /// Beside the work directory as in the public image, else where the distribution keeps it.
    private Path webApplication() {
        var usual = Path.of("web", "static");
        return staticDir.orElseGet(() ->
                Files.isDirectory(usual) ? usual : home().map(h -> h.resolve(usual)).orElse(usual));
    }

    private static Optional<Path> home() {
        return Optional.ofNullable(System.getProperty("pipecd.home", System.getenv("PIPECD_HOME")))
                .map(Path::of);
    }
}
