// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.show.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl plugin push`.
@Command(
        name = "push",
        customSynopsis =
                "pipectl plugin push --files OS/ARCH=FILE,... --tag TAG --registry HOST --repository NAME [FLAGS]",
        description = {
            "Puts a plugin for one or more platforms into an OCI registry.",
            "Agents fetch it as oci://HOST/NAME:TAG.",
            "Signs in with --username, or with what `docker login` has left in its configuration file; credential helpers are not asked."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = {
            "  pipectl plugin push --files linux/amd64=out/plugin-amd64,linux/arm64=out/plugin-arm64 \\",
            "      --registry ghcr.io --repository org/my-plugin --tag v1.2.3 \\",
            "      --username ci --password-file token"
        })
public final class PluginPushCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--files",
            paramLabel = "OS/ARCH=FILE",
            split = ",",
            required = true,
            description = "The plugin's file for each platform. Required.")
    List<String> files = List.of();

    @Option(
            names = "--tag",
            paramLabel = "TAG",
            required = true,
            description = "The version under which it is fetched. Required.")
    String tag = "";

    @Option(
            names = "--registry",
            paramLabel = "HOST[:PORT]",
            required = true,
            description = "The registry. Required.")
    String registry = "";

    @Option(
            names = "--repository",
            paramLabel = "NAME",
            required = true,
            description = "The repository in it. Required.")
    String repository = "";

    @Option(
            names = "--insecure",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description = "Speaks plain HTTP.")
    boolean insecure;

    @Option(names = "--username", paramLabel = "NAME", description = "Who signs in.")
    String username = "";

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "The file with that user's password or token.")
    String passwordFile = "";

    public PluginPushCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        var parts = files.stream().map(PluginPushCommand::part).toList();
        if (username.isEmpty() != passwordFile.isEmpty())
            throw new CalledWrongly(
                    "--username: %s --password-file (expected: both or none)"
                            .formatted(username.isEmpty() ? "missing beside" : "without"));
        var target = new Target(registry, repository, tag, insecure);
        var login =
                username.isEmpty()
                        ? DockerLogin.of(terminal.environment(), registry)
                        : Login.withPasswordIn(username, Path.of(passwordFile));
        try (var client = new Registry(target, login)) {
            var digest = new Push(client, terminal).of(parts, tag);
            terminal.result(
                    "Pushed oci://%s/%s:%s@%s".formatted(registry, repository, tag, digest));
        }
        return 0;
    }

    private static PlatformFile part(String given) {
        var equals = given.indexOf('=');
        var platform = given.substring(0, Math.max(0, equals));
        if (!platform.matches("[a-z0-9]+/[a-z0-9]+") || equals == given.length() - 1)
            throw new CalledWrongly(
                    "--files: %s (expected: OS/ARCH=FILE, for example linux/amd64=out/plugin)"
                            .formatted(given));
        var slash = platform.indexOf('/');
        return new PlatformFile(
                platform.substring(0, slash),
                platform.substring(slash + 1),
                Path.of(given.substring(equals + 1)));
    }
}
