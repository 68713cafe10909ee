// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.Pairs;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.GetPipedRequest;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Piped;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl transfer backup`.
@Command(
        name = "backup",
        customSynopsis = "pipectl transfer backup --output-file FILE [FLAGS]",
        description = {
            "Writes all applications, and the agents that look after them, into a file.",
            "Agents without an application, deployments and their logs are not in it: the API does not give them away."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = "  pipectl transfer backup --output-file backup.json --address OLD:443 ...")
public final class TransferBackupCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--output-file",
            paramLabel = "FILE",
            required = true,
            description = "Where to write it. Required.")
    String file = "";

    @Option(
            names = "--labels",
            paramLabel = "KEY:VALUE",
            split = ",",
            description = "Only applications with these labels.")
    List<String> labels = List.of();

    public TransferBackupCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var wanted = Pairs.filter("--labels", labels);
        try (var api = connection.open(terminal)) {
            var applications = AllApplications.of(api, wanted);
            var backup =
                    Backup.of(terminal.time().instant(), agentsOf(api, applications), applications);
            PrivateFile.write("--output-file", Path.of(file), backup.text());
            terminal.result(
                    "Wrote %d applications and %d agents to %s"
                            .formatted(applications.size(), backup.pipeds().size(), file));
        }
        return 0;
    }

    private static List<Piped> agentsOf(ApiConnection api, List<Application> applications) {
        var found = new ArrayList<Piped>();
        for (var id : applications.stream().map(Application::getPipedId).distinct().toList()) {
            var request = GetPipedRequest.newBuilder().setPipedId(id).build();
            found.add(api.ask(stub -> stub.getPiped(request)).getPiped());
        }
        return found;
    }
}
