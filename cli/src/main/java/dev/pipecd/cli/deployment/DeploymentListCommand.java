// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.KindName;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.flag.Pairs;
import dev.pipecd.cli.flag.Several;
import dev.pipecd.cli.flag.StatusName;
import dev.pipecd.cli.show.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl deployment list`.
@Command(
        name = "list",
        customSynopsis = "pipectl deployment list [FLAGS]",
        description = "Lists the deployments of the API key's project, latest first.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl deployment list --address localhost:8080 --api-key-file api-key --insecure",
            "  pipectl deployment list --status RUNNING --app-name site -o json ...",
            "  pipectl deployment list --watch ..."
        })
public final class DeploymentListCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            converter = StatusName.class,
            completionCandidates = StatusName.class,
            description = "Only those with this status: ${COMPLETION-CANDIDATES}.")
    List<String> statuses = List.of();

    @Option(
            names = "--app-id",
            paramLabel = "ID",
            split = ",",
            description = "Only those of this application.")
    List<String> applicationIds = List.of();

    @Option(
            names = "--app-kind",
            paramLabel = "KIND",
            split = ",",
            completionCandidates = KindName.class,
            description = "Only this kind: ${COMPLETION-CANDIDATES}.")
    List<String> kinds = List.of();

    @Option(
            names = "--app-name",
            paramLabel = "NAME",
            description = "Only those of the application of this name.")
    String applicationName = "";

    @Option(
            names = "--label",
            paramLabel = "KEY:VALUE",
            split = ",",
            description = "Only those with this label; may be repeated.")
    List<String> labels = List.of();

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "At most so many; 0 for all. Default: ${DEFAULT-VALUE}.")
    int limit = 30;

    @Option(
            names = "--cursor",
            paramLabel = "CURSOR",
            description = "Goes on where an earlier list ended.")
    String cursor = "";

    @Option(
            names = {"-w", "--watch"},
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description =
                    "Shows the list until stopped: redrawn in a terminal, a line a change elsewhere.")
    boolean watch;

    public DeploymentListCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (limit < 0)
            throw new CalledWrongly("--limit: %d (expected: 0 or more)".formatted(limit));
        if (watch) output.withoutPrograms("--watch");
        var query =
                new Deployments.Query(
                        Several.of(statuses),
                        Several.of(applicationIds),
                        Several.of(kinds).stream().map(KindName::of).toList(),
                        applicationName,
                        Pairs.filter("--label", labels),
                        limit,
                        cursor);
        try (var api = connection.open(terminal)) {
            if (watch) new Deployments(api, terminal).watch(query);
            else new Deployments(api, terminal).list(query, output.format());
        }
        return 0;
    }
}
