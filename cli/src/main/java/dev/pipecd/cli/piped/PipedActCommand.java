// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.piped;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.DisablePipedRequest;
import dev.pipecd.wire.api.EnablePipedRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl piped enable` and `disable`.
@Command(sortOptions = false, optionListHeading = "%nFlags:%n", footerHeading = "%nExample:%n")
public final class PipedActCommand implements Callable<Integer> {
    /// What is done to the agent.
    public enum Act {
        ENABLE("enable", "Enabled", "Lets an agent connect again."),
        DISABLE(
                "disable",
                "Disabled",
                "Keeps an agent from connecting; its applications stay as they are.");

        private final String name;
        private final String done;
        private final String description;

        Act(String name, String done, String description) {
            this.name = name;
            this.done = done;
            this.description = description;
        }
    }

    private final Act act;
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--piped-id",
            paramLabel = "ID",
            required = true,
            description = "The agent's id. Required.")
    String id = "";

    private PipedActCommand(Act act, ConnectionFlags connection, Terminal terminal) {
        this.act = act;
        this.connection = connection;
        this.terminal = terminal;
    }

    public static CommandLine of(Act act, ConnectionFlags connection, Terminal terminal) {
        var line = new CommandLine(new PipedActCommand(act, connection, terminal));
        var call = "pipectl piped " + act.name + " --piped-id ID";
        line.getCommandSpec().name(act.name);
        line.getCommandSpec()
                .usageMessage()
                .customSynopsis(call + " [FLAGS]")
                .description(act.description)
                .footer("  " + call + " ...");
        return line;
    }

    @Override
    public Integer call() {
        try (var api = connection.open(terminal)) {
            api.ask(this::done);
        }
        terminal.result(act.done + " agent " + id);
        return 0;
    }

    private Object done(APIServiceBlockingStub api) {
        return switch (act) {
            case ENABLE -> api.enablePiped(EnablePipedRequest.newBuilder().setPipedId(id).build());
            case DISABLE ->
                    api.disablePiped(DisablePipedRequest.newBuilder().setPipedId(id).build());
        };
    }
}
