// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import dev.pipecd.agent.plugin.LiveState;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.DeployTargets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at what really runs, each application by itself about once a minute and at once when
/// somebody wants to know. A slow plugin holds up only those that wait for the same plugin.
public final class Drift implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Drift.class);
    private static final Duration BETWEEN = Duration.ofMinutes(1);

    /// What is on its way, or was not there yet, is looked at again sooner.
    private static final Duration SOON = Duration.ofSeconds(10);

    private static final Duration REFRESHED_WITHIN = Duration.ofMinutes(10);
    private static final int LOOKS_PER_PLUGIN = 8;

    private final Applications applications;
    private final Function<Application, Map<String, DeployTargets>> targets;
    private final Sight sight;
    private final News news;
    private final Predicate<ApplicationId> deploying;
    private final InstantSource clock;
    private final Rota rota = new Rota(BETWEEN);
    private final Set<Thread> looking = ConcurrentHashMap.newKeySet();
    private final Map<String, Semaphore> places = new ConcurrentHashMap<>();
    private final Map<ApplicationId, String> complaints = new ConcurrentHashMap<>();
    private final Thread thread = Thread.ofVirtual().name("drift").unstarted(this::turn);
    private long refreshedTo = -1;
    private Instant refreshedAt = Instant.EPOCH;
    private volatile boolean outdated;
    private volatile boolean closed;

    /// @param targets where an application goes, by plugin
    /// @param deploying whether a deployment of it is going on
    public Drift(
            Applications applications,
            Function<Application, Map<String, DeployTargets>> targets,
            Sight sight,
            News news,
            Predicate<ApplicationId> deploying,
            InstantSource clock) {
        this.applications = applications;
        this.targets = targets;
        this.sight = sight;
        this.news = news;
        this.deploying = deploying;
        this.clock = clock;
    }

    public Drift start() {
        thread.start();
        return this;
    }

    /// The applications may be others now; who has no plugin that looks is not in the rota. Quick
    /// when nothing changed; done now and then all the same, since a plugin may have changed.
    public void refresh() {
        var version = applications.version();
        var now = clock.instant();
        if (version == refreshedTo && !outdated && now.isBefore(refreshedAt.plus(REFRESHED_WITHIN)))
            return;
        outdated = false;
        refreshedTo = version;
        refreshedAt = now;
        var kept =
                applications
                        .all()
                        .filter(application -> !watchers(application).isEmpty())
                        .map(application -> new ApplicationId(application.getId()))
                        .toList();
        var all = new HashSet<>(kept);
        sight.keep(all);
        news.keep(all);
        complaints.keySet().retainAll(all);
        synchronized (rota) {
            rota.keep(kept, clock.instant());
            rota.notifyAll();
        }
    }

    /// Somebody looks at this application now. However often that is said, looks of it are some
    /// seconds apart.
    public void want(ApplicationId id) {
        if (!news.want(id)) return;
        synchronized (rota) {
            rota.want(id, clock.instant());
            rota.notifyAll();
        }
    }

    private void turn() {
        try {
            while (!closed) {
                List<ApplicationId> due;
                synchronized (rota) {
                    due = rota.take(clock.instant());
                    if (due.isEmpty()) {
                        rota.wait(untilNext());
                        continue;
                    }
                }
                due.forEach(id -> begin(() -> once(id)));
            }
        } catch (InterruptedException stopped) {
            // The agent stops.
        }
    }

    /// A clock that jumps must not make it sleep through.
    private long untilNext() {
        var longest = SOON.toMillis();
        return rota.next()
                .map(at -> Duration.between(clock.instant(), at).toMillis())
                .map(millis -> Math.clamp(millis, 1, longest))
                .orElse(longest);
    }

    private void begin(Runnable look) {
        var started =
                Thread.ofVirtual()
                        .name("live-state")
                        .unstarted(() -> {
                            try {
                                look.run();
                            } finally {
                                looking.remove(Thread.currentThread());
                            }
                        });
        looking.add(started);
        started.start();
        if (closed) started.interrupt();
    }

    private void once(ApplicationId id) {
        var next = BETWEEN;
        try {
            var application = applications.find(id);
            if (application.isPresent()) next = look(id, application.get());
        } catch (InterruptedException stopped) {
            return;
        } catch (Problem problem) {
            complain(id, problem);
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            log.error("live state of {}: an internal fault; it is looked at again", id, e);
        }
        var now = clock.instant();
        synchronized (rota) {
            rota.back(id, now.plus(next), now);
            rota.notifyAll();
        }
    }

    /// Once, and not for each application that the control plane is away.
    private void complain(ApplicationId id, Problem problem) {
        if (problem.code() == Problem.Code.CONTROL_PLANE_UNREACHABLE) return;
        if (!problem.told().equals(complaints.put(id, problem.told())))
            log.warn("live state of {}: {}", id, problem.told());
    }

    /// When it is to be looked at again.
    private Duration look(ApplicationId id, Application application) throws InterruptedException {
        var watchers = watchers(application);
        if (watchers.isEmpty()) return BETWEEN;
        Sight.Head head;
        try {
            var laid = sight.head(application);
            if (laid.isEmpty()) return SOON;
            head = laid.get();
        } catch (Problem unreadable) {
            // Whoever looks at commits tells that the file is broken.
            news.forget(id);
            throw unreadable;
        }
        try {
            return ask(id, application, watchers, head);
        } finally {
            sight.done(application);
        }
    }

    private Duration ask(
            ApplicationId id, Application application, List<String> watchers, Sight.Head head)
            throws InterruptedException {
        var before = deploying.test(id);
        var seen = new LinkedHashMap<String, LiveState.Seen>();
        var problems = new ArrayList<String>();
        for (var plugin : watchers) {
            try {
                switch (look(plugin, application, head.dirs())) {
                    case LiveState.Seen state -> seen.put(plugin, state);
                    case LiveState.NotOffered() -> outdated = true;
                }
            } catch (Problem problem) {
                complain(id, problem);
                problems.add(problem.told());
            }
        }
        if (problems.isEmpty()) complaints.remove(id);
        if (seen.isEmpty() && problems.isEmpty()) return BETWEEN;
        var picture = Picture.of(seen, problems, clock.instant()).beside(head.warnings());
        // What was seen while a deployment began or ended is half of each.
        var moving = before || deploying.test(id);
        if (moving) news.tellLiveState(application, picture);
        else news.tell(application, picture);
        return moving ? SOON : BETWEEN;
    }

    private LiveState look(String plugin, Application application, SourceDirs head)
            throws InterruptedException {
        var place = places.computeIfAbsent(plugin, _ -> new Semaphore(LOOKS_PER_PLUGIN));
        place.acquire();
        try {
            // Another application may have found out while this one waited.
            if (!sight.offered(plugin)) return new LiveState.NotOffered();
            var aims = targets.apply(application).get(plugin);
            return aims == null
                    ? new LiveState.NotOffered()
                    : sight.look(plugin, application, aims.getDeployTargetsList(), head);
        } finally {
            place.release();
        }
    }

    /// Plugins without a target of this application would refuse.
    private List<String> watchers(Application application) {
        return targets.apply(application).entrySet().stream()
                .filter(entry -> entry.getValue().getDeployTargetsCount() > 0)
                .map(Map.Entry::getKey)
                .filter(sight::offered)
                .sorted()
                .toList();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        looking.forEach(Thread::interrupt);
    }
}
