// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.application;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.KindName;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.flag.Pairs;
import dev.pipecd.cli.show.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl application list`.
@Command(
        name = "list",
        customSynopsis = "pipectl application list [FLAGS]",
        description = "Lists the applications of the API key's project.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl application list --address localhost:8080 --api-key-file api-key --insecure",
            "  pipectl application list --label env:prod --limit 100 -o json ...",
            "  pipectl application list --watch ..."
        })
public final class ApplicationListCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--app-name",
            paramLabel = "NAME",
            description = "Only the application of this name.")
    String name = "";

    @Option(
            names = "--app-kind",
            paramLabel = "KIND",
            completionCandidates = KindName.class,
            description = "Only this kind: ${COMPLETION-CANDIDATES}.")
    String kind = "";

    @Option(
            names = "--piped-id",
            paramLabel = "ID",
            description = "Only those this agent looks after.")
    String pipedId = "";

    @Option(
            names = "--disabled",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description = "The disabled ones instead of the enabled ones.")
    boolean disabled;

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
    int limit = 10;

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

    public ApplicationListCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (limit < 0)
            throw new CalledWrongly("--limit: %d (expected: 0 or more)".formatted(limit));
        if (watch) output.withoutPrograms("--watch");
        var query =
                new Applications.Query(
                        name,
                        KindName.of(kind),
                        pipedId,
                        disabled,
                        Pairs.filter("--label", labels),
                        limit,
                        cursor);
        try (var api = connection.open(terminal)) {
            if (watch) new Applications(api, terminal).watch(query);
            else new Applications(api, terminal).list(query, output.format());
        }
        return 0;
    }
}
