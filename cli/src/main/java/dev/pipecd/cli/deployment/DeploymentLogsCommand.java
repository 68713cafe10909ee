// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.show.Terminal;
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
            "  pipectl deployment logs --deployment-id ID \\",
            "      --address localhost:8080 --api-key-file api-key --insecure",
            "  pipectl deployment logs --deployment-id ID --follow ..."
        })
public final class DeploymentLogsCommand implements Callable<Integer> {
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

    public DeploymentLogsCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (follow) output.withoutPrograms("--follow");
        try (var api = connection.open(terminal)) {
            var logs = new StageLogs(api, terminal, id);
            if (follow) return logs.follow() ? 0 : 1;
            if (output.format().forPrograms()) logs.all(output.format());
            else logs.text();
        }
        return 0;
    }
}
