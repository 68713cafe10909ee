// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.application;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.KindName;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.flag.Pairs;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationKind;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl application add`.
@Command(
        name = "add",
        customSynopsis =
                "pipectl application add --app-name NAME --app-kind KIND --piped-id ID --platform-provider NAME --repo-id ID --app-dir PATH [FLAGS]",
        description = {
            "Registers an application, and prints its id.",
            "It takes no deploy targets: those of an agent with plugins are given with `pipectl migrate database` afterwards, or by the API (`UpdateApplicationDeployTargets`)."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = {
            "  pipectl application add --app-name site --app-kind KUBERNETES --piped-id ID \\",
            "      --platform-provider prod --repo-id web --app-dir apps/site --labels env=prod ..."
        })
public final class ApplicationAddCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--app-name",
            paramLabel = "NAME",
            required = true,
            description = "The application's name. Required.")
    String name = "";

    @Option(
            names = "--app-kind",
            paramLabel = "KIND",
            required = true,
            completionCandidates = KindName.class,
            description = "${COMPLETION-CANDIDATES}. Required.")
    String kind = "";

    @Option(
            names = "--piped-id",
            paramLabel = "ID",
            required = true,
            description = "The agent that shall look after it. Required.")
    String pipedId = "";

    @Option(
            names = "--platform-provider",
            paramLabel = "NAME",
            required = true,
            description = "One of the platform providers in the agent's configuration. Required.")
    String provider = "";

    @Option(
            names = "--repo-id",
            paramLabel = "ID",
            required = true,
            description = "One of the repositories in the agent's configuration. Required.")
    String repository = "";

    @Option(
            names = "--app-dir",
            paramLabel = "PATH",
            required = true,
            description = "The application's folder, from the repository's root. Required.")
    String directory = "";

    @Option(
            names = "--config-file-name",
            paramLabel = "NAME",
            description = "Its configuration in that folder. Default: ${DEFAULT-VALUE}.")
    String file = "app.pipecd.yaml";

    @Option(
            names = "--labels",
            paramLabel = "KEY=VALUE,...",
            description =
                    "Labels it shall have; may be repeated. Of several, a pair that has a comma stands in double quotes.")
    List<String> labels = List.of();

    @Option(names = "--description", paramLabel = "TEXT", description = "What it is.")
    String description = "";

    public ApplicationAddCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var path =
                ApplicationGitPath.newBuilder()
                        .setRepo(ApplicationGitRepository.newBuilder().setId(repository))
                        .setPath(directory)
                        .setConfigFilename(file);
        var request =
                AddApplicationRequest.newBuilder()
                        .setName(name)
                        .setPipedId(pipedId)
                        .setKind(kind())
                        .setPlatformProvider(provider)
                        .setGitPath(path)
                        .putAllLabels(Pairs.values("--labels", labels))
                        .setDescription(description)
                        .build();
        try (var api = connection.open(terminal)) {
            var answer = api.ask(stub -> stub.addApplication(request));
            terminal.result(
                    output.format().forPrograms()
                            ? output.format().of(answer)
                            : "Added application " + answer.getApplicationId());
        }
        return 0;
    }

    private ApplicationKind kind() {
        var name = KindName.of(kind);
        if (name.isEmpty())
            throw new CalledWrongly("--app-kind: empty (expected: the application's kind)");
        return ApplicationKind.valueOf(name);
    }
}
