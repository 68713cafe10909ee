// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.follow.Look;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The deployments that come of an event. They carry the commit the event was registered with;
/// those that carried it before are of an earlier run of the same job.
final class CausedDeployments implements Beginning {
    private final Terminal terminal;
    private final Look look;
    private final List<RecentDeployments> recent;
    private final RegisterEventRequest order;
    private final Set<String> named;
    private final Duration quiet;
    private final Set<String> known = new HashSet<>();
    private final Set<String> begun = new HashSet<>();
    private String event = "";
    private Instant quietSince = Instant.MAX;
    private boolean givenUp;

    private CausedDeployments(
            ApiConnection api,
            Terminal terminal,
            RegisterEventRequest order,
            List<String> applications,
            Duration quiet) {
        this.terminal = terminal;
        this.look = new Look(api, terminal);
        this.order = order;
        this.named = new LinkedHashSet<>(applications);
        this.quiet = quiet;
        this.recent =
                named.isEmpty()
                        ? List.of(RecentDeployments.ofProject(api))
                        : named.stream()
                                .map(id -> RecentDeployments.ofApplication(api, id))
                                .toList();
    }

    /// @param applications those to wait for; none: whatever begins first
    /// @param quiet how long nothing may begin after it was carried into Git
    static CausedDeployments register(
            ApiConnection api,
            Terminal terminal,
            RegisterEventRequest order,
            List<String> applications,
            Duration quiet) {
        var caused = new CausedDeployments(api, terminal, order, applications, quiet);
        for (var list : caused.recent)
            list.changed().forEach(each -> caused.known.add(each.getId()));
        caused.event = api.ask(stub -> stub.registerEvent(order)).getEventId();
        terminal.progress(
                "Event %s is registered (%s); waiting for an agent to take it."
                        .formatted(Printable.text(order.getName()), Printable.text(caused.event)));
        return caused;
    }

    @Override
    public News news() {
        var fresh = new ArrayList<String>();
        for (var list : recent)
            for (var each : look.at(_ -> list.changed()).orElse(List.of()))
                if (carriesCommit(each) && known.add(each.getId())) {
                    fresh.add(each.getId());
                    begun.add(each.getApplicationId());
                    quietSince = Instant.MAX;
                }
        var hopeless = complete() ? Optional.<Failure>empty() : hopeless();
        if (hopeless.isPresent()) givenUp = true;
        return new News(fresh, hopeless.stream().toList());
    }

    private boolean carriesCommit(Deployment deployment) {
        return deployment.getDeploymentTraceCommitHash().equals(order.getCommitHash());
    }

    /// Whether there is one of each application that was named, or of any if none was.
    @Override
    public boolean complete() {
        return givenUp || !begun.isEmpty() && begun.containsAll(named);
    }

    /// Whether nothing more will come of the event. Only our control plane tells.
    private Optional<Failure> hopeless() {
        var request = GetEventRequest.newBuilder().setEventId(event).build();
        return look.at(a -> a.askOurs(ours -> ours.getEvent(request).getEvent()))
                .flatMap(seen -> seen)
                .flatMap(seen ->
                        switch (seen.getStatus()) {
                            // What a part of it has begun is followed all the same.
                            case EVENT_FAILURE, EVENT_OUTDATED ->
                                    begun.isEmpty()
                                            ? Optional.of(
                                                    Failure.refused(order.getName(), ended(seen)))
                                            : Optional.empty();
                            case EVENT_SUCCESS ->
                                    quietForLong()
                                            ? Optional.of(
                                                    Failure.late(order.getName(), quiet(seen)))
                                            : Optional.empty();
                            case EVENT_NOT_HANDLED, UNRECOGNIZED -> Optional.empty();
                        });
    }

    private boolean quietForLong() {
        var now = terminal.time().instant();
        if (quietSince.isAfter(now)) quietSince = now;
        return !now.isBefore(quietSince.plus(quiet));
    }

    private static Problem ended(Event event) {
        return new Problem(
                Code.PRECONDITION_FAILED,
                "event: %s ended as %s (expected: SUCCESS)%s"
                        .formatted(event.getId(), Printable.status(event.getStatus()), why(event)),
                event.getStatus() == EventStatus.EVENT_OUTDATED
                        ? "A newer event of the same name and labels has taken its place."
                        : "See the agent's log for the cause.");
    }

    private static String why(Event event) {
        return event.getStatusDescription().isEmpty()
                ? ""
                : ": " + Printable.text(event.getStatusDescription());
    }

    private Problem quiet(Event seen) {
        return nothingCame(
                "is SUCCESS and has led to no deployment%s for %s"
                        .formatted(missing(), Look.told(quiet)),
                why(seen),
                "Most likely nothing was to be changed: the version stands in Git already. `pipectl deliver --app-id ID` deploys what stands there. Where agents look at Git less often, or somebody merges first, wait longer with --start-timeout.");
    }

    @Override
    public List<Failure> giveUp(Duration after) {
        givenUp = true;
        return List.of(
                Failure.late(
                        order.getName(),
                        nothingCame(
                                "has led to no deployment%s after %s"
                                        .formatted(missing(), Look.told(after)),
                                "",
                                "Check that an agent watches for it, and that its data is new; wait longer with --start-timeout, within --timeout.")));
    }

    private Problem nothingCame(String what, String why, String advice) {
        return new Problem(
                Code.PRECONDITION_FAILED,
                "event: %s %s (expected: %s)%s"
                        .formatted(
                                event,
                                what,
                                named.isEmpty() ? "at least one" : "one of each application",
                                why),
                advice);
    }

    private String missing() {
        if (named.isEmpty()) return "";
        return named.stream()
                .filter(each -> !begun.contains(each))
                .collect(Collectors.joining(", ", " of ", ""));
    }
}
