// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.application;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.flag.Several;
import dev.pipecd.cli.flag.StatusName;
import dev.pipecd.cli.flag.WatchFlags;
import dev.pipecd.cli.show.Terminal;
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
            "  pipectl application sync --app-id ID --wait-status SUCCESS --timeout 20m ...",
            "  pipectl application sync --app-id ID --watch --logs ..."
        })
public final class ApplicationSyncCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();
    @Mixin WatchFlags follow = new WatchFlags();

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
            converter = LengthOfTime.class,
            description = "Looks at least so often (more often at first). Default: 15s.")
    Duration interval = Duration.ofSeconds(15);

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description =
                    "How long to wait for the agent to take the order, and from then on for the deployment. Default: 5m.")
    Duration limit = Duration.ofMinutes(5);

    public ApplicationSyncCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        var wanted = Set.copyOf(Several.of(statuses));
        if (follow.watch()) {
            output.withoutPrograms("--watch");
            if (!wanted.isEmpty())
                throw new CalledWrongly(
                        "--wait-status: with --watch (expected: one of the two; --watch goes on to the end)");
        }
        try (var api = connection.open(terminal)) {
            var run = new SyncRun(api, terminal, interval, limit);
            if (follow.watch()) return run.watched(id, follow.logs());
            run.until(id, wanted, output.format());
        }
        return 0;
    }
}
