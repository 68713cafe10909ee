// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.follow.Following;
import dev.pipecd.cli.follow.Orders;
import dev.pipecd.cli.follow.Outcome;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.follow.Track;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.model.Deployment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Supplier;

/// One delivery: ordered, found, followed to its end.
final class Delivery {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final ApiConnection api;
    private final Terminal terminal;
    private final Start start;
    private final Duration limit;
    private final Following following;
    private final Patience starting;
    private final Patience patience;
    private final List<Track> tracks = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();

    Delivery(ApiConnection api, Terminal terminal, Start start, Duration limit, boolean logs) {
        this.api = api;
        this.terminal = terminal;
        this.start = new Start(Patience.shorter(start.limit(), limit), start.quiet());
        this.limit = limit;
        this.following = new Following(api, terminal, logs);
        this.starting = new Patience(terminal, INTERVAL, this.start.limit());
        this.patience = new Patience(terminal, INTERVAL, limit);
    }

    /// As they were last seen.
    List<Deployment> deployments() {
        return tracks.stream().map(Track::deployment).toList();
    }

    /// For the CI's page, however it ends.
    String summary() {
        return Summary.of(deployments(), failures);
    }

    /// Gives the exit code.
    int sync(List<String> applications) throws InterruptedException {
        return followed(Syncs.order(new Orders(api, terminal), new LinkedHashSet<>(applications)));
    }

    /// Gives the exit code.
    int event(RegisterEventRequest order, List<String> applications) throws InterruptedException {
        return followed(
                order.getName(),
                () ->
                        CausedDeployments.register(
                                api, terminal, order, applications, start.quiet()));
    }

    private int followed(String what, Supplier<Beginning> order) throws InterruptedException {
        try {
            return followed(order.get());
        } catch (Problem problem) {
            failures.add(Failure.refused(what, problem));
            throw problem;
        }
    }

    private int followed(Beginning beginning) throws InterruptedException {
        while (true) {
            var news = beginning.news();
            news.failures().forEach(this::add);
            news.deployments().forEach(id -> tracks.add(new Track(id)));
            if (following.round(tracks)) patience.somethingChanged();
            if (beginning.complete() && tracks.stream().allMatch(following::over)) return code();
            if (!beginning.complete() && starting.isUp())
                beginning.giveUp(start.limit()).forEach(this::add);
            else if (!patience.pause()) return code();
        }
    }

    private void add(Failure failure) {
        failures.add(failure);
        following.tell("Error: " + Printable.text(failure.text()));
    }

    private int code() {
        return failures.stream()
                .map(Failure::code)
                .reduce(following.told(tracks, limit), Outcome::worse);
    }

    /// How long is waited until what was ordered begins.
    ///
    /// @param quiet how long after an event is carried into Git, and after each deployment of it
    record Start(Duration limit, Duration quiet) {
        /// Agents begin within a look at the repository, which most take each minute.
        static final Start USUAL = new Start(Duration.ofMinutes(10), Duration.ofMinutes(2));

        /// Who says how long knows how often agents look, or who merges first.
        static Start within(Duration limit) {
            return new Start(limit, limit);
        }
    }
}
