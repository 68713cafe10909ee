// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.domain.Problem;
import java.io.File;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/// How a server serves.
final class ServingFlags {
    @Option(
            names = "--static-dir",
            description = "The built web application, empty for none (default: web/static).")
    Optional<Path> staticDir = Optional.empty();

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
            description =
                    "Believe the last address of X-Forwarded-For, because a proxy of yours adds it;"
                            + " without it the address is that of the connection, also on this"
                            + " host.")
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

    Optional<URI> releases() {
        if (releasesUrl.isEmpty()) return Optional.empty();
        try {
            return Optional.of(HttpRequest.newBuilder(URI.create(releasesUrl)).build().uri());
        } catch (IllegalArgumentException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "--releases-url: %s (expected: a URL, or nothing)".formatted(releasesUrl),
                    "Give the address of a list of releases in GitHub's form.",
                    e);
        }
    }

    Optional<Ports.Tls> certificate() {
        if (!tls) return Optional.empty();
        if (certFile.isEmpty() || keyFile.isEmpty())
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "--cert-file, --key-file: not given (expected: both, because of --tls)",
                    "Name the certificate and its key.");
        return Optional.of(new Ports.Tls(new File(certFile), new File(keyFile)));
    }

    /// Beside the work directory as in the public image, else where the distribution keeps it. What
    /// is given as empty is none, and not the work directory itself.
    Optional<Path> webApplication() {
        var usual = Path.of("web", "static");
        if (staticDir.isPresent()) return staticDir.filter(d -> !d.toString().isEmpty());
        return Files.isDirectory(usual) ? Optional.of(usual) : home().map(h -> h.resolve(usual));
    }

    private static Optional<Path> home() {
        return Optional.ofNullable(System.getProperty("pipecd.home", System.getenv("PIPECD_HOME")))
                .map(Path::of);
    }
}
