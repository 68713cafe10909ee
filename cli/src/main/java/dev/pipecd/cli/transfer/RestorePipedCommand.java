// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.RegisterPipedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl transfer restore piped`: the first step, after which the agents are given their new
/// keys.
@Command(
        name = "piped",
        customSynopsis = "pipectl transfer restore piped --input-file FILE [FLAGS]",
        description = {
            "Registers the agents of a backup, and writes which old id became which new one, with the new keys.",
            "Put new id and key into each agent's configuration and restart it; then `pipectl transfer restore application`.",
            "With --output-file it can be run again after a failure: agents that stand there are not registered twice."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = {
            "  pipectl transfer restore piped --input-file backup.json --output-file mapping.json \\",
            "      --address NEW:443 ..."
        })
public final class RestorePipedCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--input-file",
            paramLabel = "FILE",
            required = true,
            description = "What `pipectl transfer backup` wrote. Required.")
    String input = "";

    @Option(
            names = "--output-file",
            paramLabel = "FILE",
            description = "Where to write the new ids and keys, instead of standard output.")
    String output = "";

    public RestorePipedCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var backup = Backup.read(Path.of(input));
        var mapping = begun();
        try (var api = connection.open(terminal)) {
            for (var piped : backup.pipeds()) {
                if (mapping.of(piped.getId()).isPresent()) continue;
                var request =
                        RegisterPipedRequest.newBuilder()
                                .setName(piped.getName())
                                .setDesc(piped.getDesc())
                                .build();
                var made = api.ask(stub -> stub.registerPiped(request));
                mapping =
                        mapping.with(
                                Mapping.Entry.of(
                                        piped.getId(),
                                        made.getId(),
                                        made.getKey(),
                                        piped.getName()));
                // At once: a key is given only this time, and the next call may fail.
                if (!output.isEmpty())
                    PrivateFile.write("--output-file", Path.of(output), mapping.text());
                terminal.progress(
                        "Registered agent %s: %s is now %s"
                                .formatted(piped.getName(), piped.getId(), made.getId()));
            }
        } finally {
            if (output.isEmpty() && !mapping.entries().isEmpty())
                terminal.result(mapping.text().strip());
        }
        terminal.progress(
                "Put new id and key into each agent's configuration and restart it; then run `pipectl transfer restore application`.");
        return 0;
    }

    private Mapping begun() {
        if (output.isEmpty()) return new Mapping(List.of());
        var file = Path.of(output);
        PrivateFile.check("--output-file", file);
        return Files.exists(file) ? Mapping.read("--output-file", file) : new Mapping(List.of());
    }
}
