// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.flag.CalledWrongly;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.cli.flag.Several;
import dev.pipecd.cli.flag.StatusName;
import dev.pipecd.cli.follow.DeploymentWait;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.show.Terminal;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl deployment wait-status`.
@Command(
        name = "wait-status",
        customSynopsis =
                "pipectl deployment wait-status --deployment-id ID --status STATUS [FLAGS]",
        description =
                "Waits until a deployment has one of the statuses; fails at once when it ends with another.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl deployment wait-status --deployment-id ID --status SUCCESS \\",
            "      --address localhost:8080 --api-key-file api-key --insecure",
            "  pipectl deployment wait-status --deployment-id ID --status SUCCESS,FAILURE --timeout 1h ..."
        })
public final class DeploymentWaitStatusCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--deployment-id",
            paramLabel = "ID",
            required = true,
            description = "The deployment's id. Required.")
    String id = "";

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            required = true,
            converter = StatusName.class,
            completionCandidates = StatusName.class,
            description = "What to wait for: ${COMPLETION-CANDIDATES}. May be repeated. Required.")
    Set<String> statuses = Set.of();

    @Option(
            names = "--check-interval",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description =
                    "Looks at least so often (more often at first and after a change). Default: 15s.")
    Duration interval = Duration.ofSeconds(15);

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description = "Gives up after this time. Default: 15m.")
    Duration limit = Duration.ofMinutes(15);

    public DeploymentWaitStatusCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        var wanted = Set.copyOf(Several.of(statuses));
        if (wanted.isEmpty())
            throw new CalledWrongly(
                    "--status: empty (expected: what to wait for, such as SUCCESS)");
        try (var api = connection.open(terminal)) {
            new DeploymentWait(api, terminal)
                    .until(id, wanted, new Patience(terminal, interval, limit), limit);
        }
        return 0;
    }
}
