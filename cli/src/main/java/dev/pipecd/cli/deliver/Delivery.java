// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.follow.Following;
import dev.pipecd.cli.follow.Look;
import dev.pipecd.cli.follow.Orders;
import dev.pipecd.cli.follow.Outcome;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.follow.Track;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.model.Deployment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// One delivery: ordered, found, followed to its end.
final class Delivery {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final ApiConnection api;
    private final Terminal terminal;
    private final Duration startLimit;
    private final Duration limit;
    private final Following following;
    private final Patience patience;
    private final List<Track> tracks = new ArrayList<>();

    Delivery(
            ApiConnection api,
            Terminal terminal,
            Duration startLimit,
            Duration limit,
            boolean logs) {
        this.api = api;
        this.terminal = terminal;
        this.startLimit = startLimit;
        this.limit = limit;
        this.following = new Following(api, terminal, logs);
        this.patience = new Patience(terminal, INTERVAL, limit);
    }

    /// As they were last seen.
    List<Deployment> deployments() {
        return tracks.stream().map(Track::deployment).toList();
    }

    /// Gives the exit code.
    int sync(List<String> applications) throws InterruptedException {
        var orders = new Orders(api, terminal);
        var commands = new LinkedHashMap<String, String>();
        for (var application : applications)
            commands.putIfAbsent(application, orders.sync(application));
        var starting = new Patience(terminal, INTERVAL, startLimit);
        for (var command : commands.values())
            tracks.add(
                    new Track(Orders.deploymentOf(orders.handled(command, starting, startLimit))));
        return following.toTheEnd(tracks, patience)
                ? Outcome.told(deployments(), terminal)
                : Outcome.timeIsUp(tracks, limit, terminal);
    }

    /// Gives the exit code.
    int event(RegisterEventRequest order, List<String> applications) throws InterruptedException {
        var caused = new CausedDeployments(api, order.getCommitHash(), applications);
        var event = api.ask(stub -> stub.registerEvent(order)).getEventId();
        terminal.progress(
                "Event %s is registered (%s); waiting for an agent to take it."
                        .formatted(Printable.text(order.getName()), Printable.text(event)));
        var starting = new Patience(terminal, INTERVAL, startLimit);
        var look = new Look(api, terminal);
        while (true) {
            // An event that failed stops the waiting; what it has begun before is followed all the
            // same.
            var fresh = look.at(_ -> caused.found()).orElse(List.of());
            fresh.forEach(id -> tracks.add(new Track(id)));
            if (tracks.isEmpty()) look.at(_ -> caused.requireHope(event));
            if (following.round(tracks)) patience.somethingChanged();
            if (caused.complete() && tracks.stream().allMatch(Track::over))
                return Outcome.told(deployments(), terminal);
            if (!caused.complete() && !starting.pause()) return notBegun(event);
            if (caused.complete() && !patience.pause())
                return Outcome.timeIsUp(tracks, limit, terminal);
        }
    }

    private int notBegun(String event) {
        terminal.progress(
                "Error: event: %s has led to %d deployments after %s (expected: one of each application). Check that an agent watches for it, and that its data is new; --start-timeout waits longer."
                        .formatted(event, tracks.size(), Look.told(startLimit)));
        return Outcome.TIME_IS_UP;
    }
}
