// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.task.OutputFormat;
import dev.pipecd.cli.task.StageLogs;
import dev.pipecd.cli.task.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl deployment logs`.
@Command(
        name = "logs",
        customSynopsis = "pipectl deployment logs --deployment-id ID [FLAGS]",
        description = "Shows the logs of all stages of a deployment.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl deployment logs --deployment-id ID --address localhost:8080 --api-key-file api-key --insecure",
            "  pipectl deployment logs --deployment-id ID --follow ..."
        })
final class DeploymentLogsCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--deployment-id",
            paramLabel = "ID",
            required = true,
            description = "The deployment's id. Required.")
    String id = "";

    @Option(
            names = {"-f", "--follow"},
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description = "Shows new lines as they come, until the deployment ends.")
    boolean follow;

    DeploymentLogsCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        var json = output.format == OutputFormat.JSON;
        if (json && follow)
            throw new CalledWrongly(
                    "--follow: with -o json (expected: one of the two; lines are followed as text)");
        try (var api = ApiConnection.open(connection.endpoint())) {
            var logs = new StageLogs(api, terminal, id);
            if (json) logs.json();
            else if (follow) logs.follow();
            else logs.text();
        }
        return 0;
    }
}
