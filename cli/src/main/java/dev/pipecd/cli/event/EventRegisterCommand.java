// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.event;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.show.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl event register`.
@Command(
        name = "register",
        customSynopsis = "pipectl event register --name NAME --data TEXT [FLAGS]",
        description = {
            "Registers an event for the event watchers of the project's agents, and prints its id.",
            "`pipectl deliver --event NAME` does so too, and follows what comes of it."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = {
            "  pipectl event register --name image-built --data v1.2.3 --labels app=site \\",
            "      --commit-hash HASH --commit-url URL ..."
        })
public final class EventRegisterCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            required = true,
            description = "The event's name. Required, like --data.")
    String name = "";

    @Mixin EventFlags event = new EventFlags();

    public EventRegisterCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var request = event.request(name);
        try (var api = connection.open(terminal)) {
            var answer = api.ask(stub -> stub.registerEvent(request));
            terminal.result(
                    output.format().forPrograms()
                            ? output.format().of(answer)
                            : "Registered event " + answer.getEventId());
        }
        return 0;
    }
}
