// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.cli.flag.OutputFlag;
import dev.pipecd.cli.flag.WatchFlags;
import dev.pipecd.cli.follow.Following;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.follow.Track;
import dev.pipecd.cli.show.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl deployment get`.
@Command(
        name = "get",
        customSynopsis = "pipectl deployment get --deployment-id ID [FLAGS]",
        description = "Shows one deployment in full, or follows it to its end.",
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  pipectl deployment get --deployment-id ID ...",
            "  pipectl deployment get --deployment-id ID --watch --logs ..."
        })
public final class DeploymentGetCommand implements Callable<Integer> {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Mixin OutputFlag output = new OutputFlag();
    @Mixin WatchFlags follow = new WatchFlags();

    @Option(
            names = "--deployment-id",
            paramLabel = "ID",
            required = true,
            description = "The deployment's id. Required.")
    String id = "";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description = "With --watch, gives up after this time. Default: 6h.")
    Duration limit = Duration.ofHours(6);

    public DeploymentGetCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (follow.watch()) output.withoutPrograms("--watch");
        try (var api = connection.open(terminal)) {
            if (!follow.watch()) {
                new Deployments(api, terminal).get(id, output.format());
                return 0;
            }
            var tracks = List.of(new Track(id));
            var following = new Following(api, terminal, follow.logs());
            following.toTheEnd(tracks, new Patience(terminal, INTERVAL, limit));
            return following.told(tracks, limit);
        }
    }
}
