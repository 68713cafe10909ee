// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import dev.pipecd.agent.event.Updates.Done;
import dev.pipecd.agent.event.Updates.Failed;
import dev.pipecd.agent.event.Updates.Later;
import dev.pipecd.agent.event.Updates.Outcome;
import dev.pipecd.agent.event.Watch.Kind;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.process.ClockWatch;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Draft;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes the events nobody has handled to those who wait for them. Of several of one kind only the
/// newest counts; how each ended is recorded before it is reported.
public final class EventWatcher {
    private static final Logger log = LoggerFactory.getLogger(EventWatcher.class);
    private static final Duration LOOKED_BACK = Duration.ofHours(24);
    private static final Duration WORTH_IT = Duration.ofHours(1);
    private static final Duration FAR_LOOKS = Duration.ofHours(1);

    private final Registered registered;
    private final Outbox outbox;
    private final Repositories repositories;
    private final List<RepositoryId> watched;
    private final Definitions definitions;
    private final Updates updates;
    private final InstantSource clock;
    private final ClockWatch watch;

    /// Reported, and perhaps not known to the control plane yet.
    private final Set<String> over = new HashSet<>();

    /// Why an event is still waiting.
    private final Map<String, String> waiting = new HashMap<>();

    /// When an event was registered at the earliest, by our clock: one that was not there at the
    /// look before came since then, whatever the control plane's clock says.
    private final Map<String, Instant> since = new HashMap<>();

    private Instant looked = Instant.EPOCH;

    /// From when on events were asked for in the last look.
    private Instant askedFrom = Instant.EPOCH;

    /// When that was the beginning of time.
    private Instant lookedFar = Instant.EPOCH;

    /// Who waits for what in this look.
    private final Map<RepositoryId, Map<Kind, List<Watch>>> wanted = new LinkedHashMap<>();

    /// The repositories fetched in this look, and why one could not be.
    private final Map<RepositoryId, String> asked = new HashMap<>();

    EventWatcher(
            Registered registered,
            Outbox outbox,
            Repositories repositories,
            List<RepositoryId> watched,
            Definitions definitions,
            Updates updates,
            InstantSource clock) {
        this.registered = registered;
        this.outbox = outbox;
        this.repositories = repositories;
        this.watched = List.copyOf(watched);
        this.definitions = definitions;
        this.updates = updates;
        this.clock = clock;
        this.watch = new ClockWatch(Machine.of(clock));
    }

    public static EventWatcher of(
            Setting setting,
            Repositories repositories,
            ApplicationFiles files,
            Applications applications,
            ControlPlaneClient controlPlane,
            Outbox outbox,
            Ledger ledger) {
        var config = setting.config();
        var author = new Draft.Author(config.git().username(), config.git().email());
        return new EventWatcher(
                        new AtControlPlane(controlPlane),
                        outbox,
                        repositories,
                        config.repositories().stream().map(PipedConfig.Repository::id).toList(),
                        new Definitions(
                                repositories,
                                files,
                                applications,
                                config.additions().eventWatcher().repositories()),
                        new Updates(repositories, author, setting.clock(), setting.pushed()),
                        setting.clock())
                .after(ledger);
    }

    /// @param pushed told each repository whose branch has a new commit
    public record Setting(PipedConfig config, InstantSource clock, Consumer<RepositoryId> pushed) {}

    /// What an earlier life did and could not report is not done again.
    EventWatcher after(Ledger ledger) {
        ledger.undelivered().forEach(report -> over.addAll(Reports.endedEvents(report)));
        return this;
    }

    /// What the control plane knows of events.
    interface Registered {
        /// Not handled yet, newest first.
        List<Event> pending(Instant since);

        Optional<Event> latest(String name, Map<String, String> labels);
    }

    private record AtControlPlane(ControlPlaneClient controlPlane) implements Registered {
        @Override
        public List<Event> pending(Instant since) {
            return controlPlane.pendingEvents(since);
        }

        @Override
        public Optional<Event> latest(String name, Map<String, String> labels) {
            return controlPlane.latestEvent(name, labels);
        }
    }

    public void look() {
        heedClock();
        var now = clock.instant();
        var before = askedFrom;
        var pending = pending(now);
        var ids = pending.stream().map(Event::getId).collect(Collectors.toSet());
        // Of older ones that are over nothing is told in between.
        if (askedFrom.equals(Instant.EPOCH)) over.retainAll(ids);
        waiting.keySet().retainAll(ids);
        since.keySet().retainAll(ids);
        for (var event : pending) since.putIfAbsent(event.getId(), earliest(event, before, now));
        looked = now;
        var kinds = new LinkedHashMap<Kind, List<Event>>();
        for (var event : pending)
            if (!over.contains(event.getId()))
                kinds.computeIfAbsent(Kind.of(event), _ -> new ArrayList<>()).add(event);
        asked.clear();
        wanted.clear();
        if (!kinds.isEmpty()) watched.forEach(this::learn);
        // In the order they were registered.
        for (var kind : kinds.keySet().stream().toList().reversed()) {
            // What waits for it may be in a commit that was not seen yet.
            watching(kind).forEach(watch -> ask(watch.repository()));
            var watches = watching(kind);
            if (!watches.isEmpty()) handle(kinds.getOrDefault(kind, List.of()), watches);
        }
    }

    /// What came while no agent listened is ended too. All that nobody ever waits for is a long
    /// answer, so it is not asked for in every look.
    private List<Event> pending(Instant now) {
        var near = now.minus(LOOKED_BACK);
        if (now.isBefore(lookedFar.plus(FAR_LOOKS))) return pendingFrom(near);
        try {
            var all = pendingFrom(Instant.EPOCH);
            lookedFar = now;
            return all;
        } catch (Problem tooMany) {
            // The public control plane tells all of them, or nothing when that is too much.
            if (tooMany.code() != Problem.Code.REQUEST_INVALID) throw tooMany;
            lookedFar = now;
            log.info("events older than {} are left alone: {}", near, tooMany.told());
            return pendingFrom(near);
        }
    }

    private List<Event> pendingFrom(Instant from) {
        var events = registered.pending(from);
        askedFrom = from;
        return events;
    }

    /// Nobody's event gets older by a clock that was set, or by a machine that slept.
    private void heedClock() {
        var by = watch.jumped();
        if (by.isZero()) return;
        if (looked.isAfter(Instant.EPOCH)) looked = looked.plus(by);
        lookedFar = lookedFar.plus(by);
        since.replaceAll((_, at) -> at.plus(by));
    }

    private Instant earliest(Event event, Instant before, Instant now) {
        var told = Instant.ofEpochSecond(event.getCreatedAt());
        // The look before did not ask for one so old.
        if (told.isBefore(before)) return told;
        var past = told.isAfter(now) ? now : told;
        return looked.isAfter(past) ? looked : past;
    }

    /// One repository that cannot be read does not keep the others from their events.
    private void learn(RepositoryId repository) {
        try {
            repositories
                    .head(repository)
                    .ifPresent(head ->
                            wanted.put(
                                    repository,
                                    definitions.at(repository, head.hash()).stream()
                                            .collect(Collectors.groupingBy(Watch::kind))));
        } catch (Problem unreadable) {
            definitions.tellOnce(repository, unreadable);
        }
    }

    private List<Watch> watching(Kind kind) {
        return wanted.values().stream()
                .flatMap(watches -> watches.getOrDefault(kind, List.of()).stream())
                .toList();
    }

    private void ask(RepositoryId repository) {
        if (asked.containsKey(repository)) return;
        try {
            repositories.fetch(repository);
            asked.put(repository, "");
            learn(repository);
        } catch (Problem away) {
            asked.put(repository, away.told());
        }
    }

    /// @param events of one kind, newest first
    private void handle(List<Event> events, List<Watch> watches) {
        var latest =
                registered.latest(events.getFirst().getName(), events.getFirst().getLabelsMap());
        var newest = latest.filter(events::contains).orElse(events.getFirst());
        for (var older : events)
            if (!older.equals(newest))
                end(
                        older,
                        EventStatus.EVENT_OUTDATED,
                        "a newer event %s came".formatted(newest.getId()));
        if (latest.isPresent() && latest.get().getCreatedAt() > newest.getCreatedAt())
            end(
                    newest,
                    EventStatus.EVENT_OUTDATED,
                    "a newer event %s was handled".formatted(latest.get().getId()));
        else if (isLate(newest)) endLate(newest);
        else carryOut(newest, watches);
    }

    private boolean isLate(Event event) {
        var now = clock.instant();
        return since.getOrDefault(event.getId(), now).plus(WORTH_IT).isBefore(now);
    }

    private void endLate(Event event) {
        var why = waiting.get(event.getId());
        if (why == null)
            end(
                    event,
                    EventStatus.EVENT_OUTDATED,
                    "it was registered more than an hour before this agent saw it");
        else end(event, EventStatus.EVENT_FAILURE, "not carried out within an hour: " + why);
    }

    private void carryOut(Event event, List<Watch> watches) {
        var outcomes = new ArrayList<Outcome>();
        for (var watch : watches) outcomes.add(outcome(watch, event));
        var later = outcomes.stream().filter(Later.class::isInstance).findFirst();
        var failed = outcomes.stream().filter(Failed.class::isInstance).toList();
        if (later.isPresent()) {
            var why = later.get().text();
            if (!why.equals(waiting.put(event.getId(), why)))
                log.warn("event {} ({}) waits: {}", event.getName(), event.getId(), why);
        } else if (failed.isEmpty()) {
            end(event, EventStatus.EVENT_SUCCESS, texts(outcomes));
        } else {
            var done = outcomes.stream().filter(Done.class::isInstance).toList();
            end(
                    event,
                    EventStatus.EVENT_FAILURE,
                    texts(failed) + (done.isEmpty() ? "" : "; done all the same: " + texts(done)));
        }
    }

    /// Who did not answer is not asked again for each event.
    private Outcome outcome(Watch watch, Event event) {
        var away = asked.getOrDefault(watch.repository(), "");
        if (!away.isEmpty()) return new Later(away);
        var outcome = updates.apply(watch, event);
        if (outcome instanceof Later(var why)) asked.put(watch.repository(), why);
        return outcome;
    }

    private static String texts(List<Outcome> outcomes) {
        return outcomes.stream().map(Outcome::text).distinct().collect(Collectors.joining("; "));
    }

    private void end(Event event, EventStatus status, String why) {
        if (status == EventStatus.EVENT_FAILURE)
            log.warn("event {} ({}) failed: {}", event.getName(), event.getId(), why);
        else log.info("event {} ({}) {}: {}", event.getName(), event.getId(), status, why);
        outbox.send(Reports.eventEnded(event.getId(), status, why));
        over.add(event.getId());
    }
}
