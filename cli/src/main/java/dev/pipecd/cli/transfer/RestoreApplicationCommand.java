// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.Pairs;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.model.Application;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl transfer restore application`: the second step.
@Command(
        name = "application",
        customSynopsis =
                "pipectl transfer restore application --input-file FILE --piped-id-mapping-file FILE [FLAGS]",
        description = {
            "Registers the applications of a backup, with labels and deploy targets; those that were disabled are disabled again.",
            "Run it when the agents have connected once: an application needs a repository that its agent has told.",
            "It can be run again: what is there already is completed, not added twice."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = {
            "  pipectl transfer restore application --input-file backup.json \\",
            "      --piped-id-mapping-file mapping.json --address NEW:443 ..."
        })
public final class RestoreApplicationCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--input-file",
            paramLabel = "FILE",
            required = true,
            description = "What `pipectl transfer backup` wrote. Required.")
    String input = "";

    @Option(
            names = "--piped-id-mapping-file",
            paramLabel = "FILE",
            required = true,
            description = "What `pipectl transfer restore piped` wrote. Required.")
    String mappingFile = "";

    @Option(
            names = "--labels",
            paramLabel = "KEY:VALUE",
            split = ",",
            description = "Only applications with these labels.")
    List<String> labels = List.of();

    public RestoreApplicationCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var wanted = Pairs.filter("--labels", labels);
        var backup = Backup.read(Path.of(input));
        var mapping = Mapping.read("--piped-id-mapping-file", Path.of(mappingFile));
        var failed = 0;
        var restored = 0;
        try (var api = connection.open(terminal)) {
            var restore = new Restore(api, mapping);
            for (var application : backup.applications()) {
                if (!has(application, wanted)) continue;
                try {
                    terminal.progress(restore.one(application));
                    restored++;
                } catch (Problem problem) {
                    if (problem.code() == Code.CONTROL_PLANE_UNREACHABLE) throw problem;
                    failed++;
                    terminal.progress(
                            "Failed to restore %s (%s): %s"
                                    .formatted(
                                            Printable.text(application.getName()),
                                            application.getId(),
                                            Printable.text(problem.told())));
                }
            }
        }
        terminal.result("Restored %d applications, failed with %d".formatted(restored, failed));
        return failed == 0 ? 0 : 1;
    }

    private static boolean has(Application application, Map<String, String> labels) {
        return application.getLabelsMap().entrySet().containsAll(labels.entrySet());
    }
}
