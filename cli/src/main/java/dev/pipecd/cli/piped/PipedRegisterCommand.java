// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.piped;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.show.Details;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.RegisterPipedRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl piped register`.
@Command(
        name = "register",
        customSynopsis = "pipectl piped register --name NAME [FLAGS]",
        description =
                "Registers an agent, and prints its id and its key for the agent's configuration. The key is shown only this once.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = "  pipectl piped register --name prod --desc \"Beside the cluster\" ...")
public final class PipedRegisterCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            required = true,
            description = "The agent's name. Required.")
    String name = "";

    @Option(names = "--desc", paramLabel = "TEXT", description = "What it is for.")
    String description = "";

    public PipedRegisterCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var request = RegisterPipedRequest.newBuilder().setName(name).setDesc(description).build();
        try (var api = connection.open(terminal)) {
            var answer = api.ask(stub -> stub.registerPiped(request));
            if (output.format().forPrograms()) terminal.result(output.format().of(answer));
            else
                new Details()
                        .line("pipedID", answer.getId())
                        .line("key", answer.getKey())
                        .line("pipedKeyData", base64(answer.getKey()))
                        .print(terminal.out());
        }
        return 0;
    }

    private static String base64(String key) {
        return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }
}
