// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.task.SyncRun;
import dev.pipecd.cli.task.Terminal;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl application sync`.
@Command(
        name = "sync",
        customSynopsis = "pipectl application sync --app-id ID [FLAGS]",
        description =
                "Orders a deployment of what stands in Git, and prints its id once the agent has made it.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl application sync --app-id ID --address localhost:8080 --api-key-file api-key --insecure",
            "  pipectl application sync --app-id ID --wait-status SUCCESS --timeout 20m ..."
        })
final class ApplicationSyncCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--app-id",
            paramLabel = "ID",
            required = true,
            description = "The application's id. Required.")
    String id = "";

    @Option(
            names = "--wait-status",
            paramLabel = "STATUS",
            split = ",",
            converter = StatusName.class,
            completionCandidates = StatusName.class,
            description =
                    "Waits until the deployment has one of these: ${COMPLETION-CANDIDATES}. May be repeated.")
    Set<String> statuses = Set.of();

    @Option(
            names = "--check-interval",
            paramLabel = "TIME",
            converter = GoDuration.class,
            description = "Looks at least so often (more often at first). Default: 15s.")
    Duration interval = Duration.ofSeconds(15);

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = GoDuration.class,
            description = "Gives up after this time. Default: 5m.")
    Duration limit = Duration.ofMinutes(5);

    ApplicationSyncCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (var api = ApiConnection.open(connection.endpoint())) {
            new SyncRun(api, terminal).run(id, statuses, interval, limit, output.format);
        }
        return 0;
    }
}
