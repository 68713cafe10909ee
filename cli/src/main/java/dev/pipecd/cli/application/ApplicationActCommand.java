// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.application;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.DeleteApplicationRequest;
import dev.pipecd.wire.api.DisableApplicationRequest;
import dev.pipecd.wire.api.EnableApplicationRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl application delete`, `enable` and `disable`.
@Command(sortOptions = false, optionListHeading = "%nFlags:%n", footerHeading = "%nExample:%n")
public final class ApplicationActCommand implements Callable<Integer> {
    /// What is done to the application.
    public enum Act {
        DELETE(
                "delete",
                "Deleted",
                "Removes an application from the control plane. What it has deployed stays as it is."),
        ENABLE("enable", "Enabled", "Lets an application be deployed again."),
        DISABLE(
                "disable",
                "Disabled",
                "Keeps an application from being deployed; `application list --disabled` shows it then.");

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
            names = "--app-id",
            paramLabel = "ID",
            required = true,
            description = "The application's id. Required.")
    String id = "";

    private ApplicationActCommand(Act act, ConnectionFlags connection, Terminal terminal) {
        this.act = act;
        this.connection = connection;
        this.terminal = terminal;
    }

    public static CommandLine of(Act act, ConnectionFlags connection, Terminal terminal) {
        var line = new CommandLine(new ApplicationActCommand(act, connection, terminal));
        var call = "pipectl application " + act.name + " --app-id ID";
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
        terminal.result(act.done + " application " + id);
        return 0;
    }

    private Object done(APIServiceBlockingStub api) {
        return switch (act) {
            case DELETE ->
                    api.deleteApplication(
                            DeleteApplicationRequest.newBuilder().setApplicationId(id).build());
            case ENABLE ->
                    api.enableApplication(
                            EnableApplicationRequest.newBuilder().setApplicationId(id).build());
            case DISABLE ->
                    api.disableApplication(
                            DisableApplicationRequest.newBuilder().setApplicationId(id).build());
        };
    }
}
