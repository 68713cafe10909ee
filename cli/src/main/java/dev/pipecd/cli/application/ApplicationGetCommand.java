// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.application;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.show.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl application get`.
@Command(
        name = "get",
        customSynopsis = "pipectl application get --app-id ID [FLAGS]",
        description = "Shows one application in full.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer =
                "  pipectl application get --app-id ID --address localhost:8080 --api-key-file api-key --insecure")
public final class ApplicationGetCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--app-id",
            paramLabel = "ID",
            required = true,
            description = "The application's id. Required.")
    String id = "";

    public ApplicationGetCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (var api = connection.open(terminal)) {
            new Applications(api, terminal).get(id, output.format());
        }
        return 0;
    }
}
