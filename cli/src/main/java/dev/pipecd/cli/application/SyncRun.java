// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.application;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.follow.DeploymentWait;
import dev.pipecd.cli.follow.Following;
import dev.pipecd.cli.follow.Orders;
import dev.pipecd.cli.follow.Outcome;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.follow.Track;
import dev.pipecd.cli.show.OutputFormat;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.model.Command;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// `pipectl application sync`: gives the order, waits until an agent has taken it, and if asked
/// until the deployment is where it should be.
final class SyncRun {
    private static final Duration WATCH_INTERVAL = Duration.ofSeconds(1);

    private final ApiConnection api;
    private final Terminal terminal;
    private final Orders orders;
    private final Duration interval;
    private final Duration limit;

    SyncRun(ApiConnection api, Terminal terminal, Duration interval, Duration limit) {
        this.api = api;
        this.terminal = terminal;
        this.orders = new Orders(api, terminal);
        this.interval = interval;
        this.limit = limit;
    }

    /// Until the deployment has one of these, if any are given.
    void until(String applicationId, Set<String> statuses, OutputFormat format)
            throws InterruptedException {
        var order = orders.sync(applicationId);
        var command = taken(order).orElseThrow(() -> Orders.notTaken(order, limit));
        var deployment = made(command, format);
        if (statuses.isEmpty()) return;
        // The time anew: a deployment gets all of it, however long its agent took to begin.
        var patience = new Patience(terminal, interval, limit);
        new DeploymentWait(api, terminal).until(deployment, statuses, patience, limit);
    }

    /// To its end, which gives the exit code.
    int watched(String applicationId, boolean logs) throws InterruptedException {
        var order = orders.sync(applicationId);
        var command = taken(order);
        if (command.isEmpty()) return Outcome.late(Orders.notTaken(order, limit), terminal);
        var tracks = List.of(new Track(made(command.get(), OutputFormat.TABLE)));
        var watching = new Patience(terminal, WATCH_INTERVAL, limit);
        var following = new Following(api, terminal, logs);
        following.toTheEnd(tracks, watching);
        return following.told(tracks, limit);
    }

    private Optional<Command> taken(String order) throws InterruptedException {
        return orders.taken(order, new Patience(terminal, interval, limit));
    }

    /// The id of the deployment that the agent has made.
    private String made(Command command, OutputFormat format) {
        var deployment = Orders.deploymentOf(command);
        terminal.result(
                format.forPrograms()
                        ? format.of(command)
                        : "Triggered deployment " + Printable.text(deployment));
        return deployment;
    }
}
