// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.piped;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.show.Details;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.GetPipedRequest;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl piped get`.
@Command(
        name = "get",
        customSynopsis = "pipectl piped get --piped-id ID [FLAGS]",
        description = "Shows one agent: whether it is connected, and what it offers.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = "  pipectl piped get --piped-id ID ...")
public final class PipedGetCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--piped-id",
            paramLabel = "ID",
            required = true,
            description = "The agent's id. Required.")
    String id = "";

    public PipedGetCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var request = GetPipedRequest.newBuilder().setPipedId(id).build();
        try (var api = connection.open(terminal)) {
            var piped = api.ask(stub -> stub.getPiped(request)).getPiped();
            if (output.format().forPrograms()) terminal.result(output.format().of(piped));
            else details(piped).print(terminal.out());
        }
        return 0;
    }

    private static Details details(Piped piped) {
        return new Details()
                .line("ID", piped.getId())
                .line("Name", piped.getName())
                .line("Description", piped.getDesc())
                .line("Status", piped.getDisabled() ? "DISABLED" : piped.getStatus().name())
                .line("Version", piped.getVersion())
                .line("Started", Printable.time(piped.getStartedAt()))
                .line("Repositories", repositories(piped))
                .line("Plugins", plugins(piped))
                .line("Encryption", piped.getSecretEncryption().getType());
    }

    private static String repositories(Piped piped) {
        return piped.getRepositoriesList().stream()
                .map(ApplicationGitRepository::getId)
                .collect(Collectors.joining(", "));
    }

    private static String plugins(Piped piped) {
        return piped.getPluginsList().stream()
                .map(Piped.Plugin::getName)
                .collect(Collectors.joining(", "));
    }
}
