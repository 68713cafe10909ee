// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import dev.pipecd.agent.journal.Entry.Delivered;
import dev.pipecd.agent.journal.Entry.Forgotten;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Entry.Noted;
import dev.pipecd.agent.journal.Entry.Parked;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.agent.journal.Entry.Sheet;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// What the journal adds up to: the deployments the agent looks after and the reports that are
/// still to be delivered.
public final class Ledger implements AutoCloseable {
    private static final long COMPACT_ABOVE = 16 << 20;
    private static final int PARKED_KEPT = 100;
    private static final String APPLICATION = "application:";

    private final Pages journal;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final SequencedMap<DeploymentId, List<Entry>> stories = new LinkedHashMap<>();
    private final SequencedMap<Long, Queued> undelivered = new TreeMap<>();
    private final List<Parked> parked = new ArrayList<>();
    private final AtomicLong lastNumber = new AtomicLong();
    private volatile long compactAbove = COMPACT_ABOVE;

    private Ledger(Pages journal) {
        this.journal = journal;
        journal.found().forEach(this::fold);
    }

    public static Ledger open(Path directory) throws IOException {
        return on(Journal.open(directory));
    }

    public static Ledger on(Pages journal) {
        var ledger = new Ledger(journal);
        // What succeeded may be known nowhere else yet: who takes up the rest tells it once more.
        ledger.compact(Ledger::succeeded);
        return ledger;
    }

    /// Another agent went on with what is unfinished here, and told how applications stand since:
    /// what was to be told of them is no longer true. What is to be reported of deployments still
    /// is, except of those nobody has heard of: what they were opened for the other has opened.
    public void forgetUnfinished() {
        var unheard = unheard(undelivered());
        var gone = new HashSet<>(unfinished());
        stories().keySet().stream().filter(d -> unheard.contains(lane(d))).forEach(gone::add);
        var outdated = new ArrayList<Entry>();
        gone.forEach(deployment -> outdated.add(new Forgotten(deployment)));
        undelivered().stream()
                .filter(report -> ofApplication(report) || unheard.contains(report.lane()))
                .forEach(report -> outdated.add(new Delivered(report.number())));
        if (!outdated.isEmpty()) record(outdated);
    }

    /// The lanes of deployments the control plane has not heard of, or not said so yet.
    public static Set<String> unheard(Collection<Queued> undelivered) {
        return undelivered.stream()
                .filter(Ledger::creates)
                .map(Queued::lane)
                .collect(Collectors.toUnmodifiableSet());
    }

    /// Whether only the agent that acts may tell it.
    public static boolean isOfWhoActs(Queued report) {
        return ofApplication(report) || creates(report);
    }

    /// Whether the control plane hears by it of a deployment for the first time.
    public static boolean creates(Queued report) {
        return creates(report.call());
    }

    private static boolean creates(String call) {
        return call.startsWith("CreateDeployment");
    }

    /// The lane on which everything about one deployment is reported, in order.
    public static String lane(DeploymentId deployment) {
        return "deployment:" + deployment.value();
    }

    /// The lane on which the state of an application is reported: what its next deployment says
    /// must not be overtaken by what the one before said.
    public static String lane(ApplicationId application) {
        return APPLICATION + application;
    }

    /// Whether it tells how an application stands: the last such word counts, whoever says it.
    public static boolean ofApplication(Queued report) {
        return report.lane().startsWith(APPLICATION);
    }

    public long nextNumber() {
        return lastNumber.incrementAndGet();
    }

    /// Returns when all entries are on the disk; after a crash all of them are there, or none.
    public void record(List<Entry> entries) {
        lock.readLock().lock();
        try {
            journal.append(entries);
            synchronized (stories) {
                entries.forEach(this::fold);
            }
        } finally {
            lock.readLock().unlock();
        }
        if (journal.size() > compactAbove) compactOnce();
    }

    /// For what may be forgotten in a crash without harm.
    public void recordLater(Entry entry) {
        lock.readLock().lock();
        try {
            journal.appendLater(entry);
            synchronized (stories) {
                fold(entry);
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    /// What is known of each deployment, oldest first: its sheet, events and notes in the order
    /// they were recorded.
    public Map<DeploymentId, List<Entry>> stories() {
        synchronized (stories) {
            var copy = new LinkedHashMap<DeploymentId, List<Entry>>();
            stories.forEach((id, entries) -> copy.put(id, List.copyOf(entries)));
            return copy;
        }
    }

    /// The deployments that go on.
    public Set<DeploymentId> unfinished() {
        synchronized (stories) {
            return stories.entrySet().stream()
                    .filter(story -> !ended(story.getValue()))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toUnmodifiableSet());
        }
    }

    public List<Queued> undelivered() {
        synchronized (stories) {
            return List.copyOf(undelivered.values());
        }
    }

    /// Reports the control plane refused for good, newest last.
    public List<Parked> parked() {
        synchronized (stories) {
            return List.copyOf(parked);
        }
    }

    /// Why the control plane will never know of a deployment, where it refused to.
    public Optional<String> refused(DeploymentId deployment) {
        var lane = lane(deployment);
        return parked().stream()
                .filter(report -> report.lane().equals(lane) && creates(report.call()))
                .map(Parked::reason)
                .findFirst();
    }

    private void fold(Entry entry) {
        switch (entry) {
            case Sheet sheet -> story(sheet.deployment()).add(sheet);
            case Moved moved -> story(moved.deployment()).add(moved);
            case Noted noted -> note(story(noted.deployment()), noted);
            case Forgotten(var deployment) -> stories.remove(deployment);
            case Queued queued -> {
                undelivered.put(queued.number(), queued);
                lastNumber.accumulateAndGet(queued.number(), Math::max);
            }
            case Delivered(var number) -> {
                undelivered.remove(number);
                lastNumber.accumulateAndGet(number, Math::max);
            }
            case Parked refused -> {
                undelivered.remove(refused.number());
                parked.add(refused);
                if (parked.size() > PARKED_KEPT) parked.removeFirst();
                lastNumber.accumulateAndGet(refused.number(), Math::max);
            }
        }
    }

    private List<Entry> story(DeploymentId id) {
        return stories.computeIfAbsent(id, _ -> new ArrayList<>());
    }

    /// With what was noted there before, so that who notes its progress each second does not fill
    /// the disk.
    private static void note(List<Entry> story, Noted noted) {
        var values = new HashMap<String, String>();
        story.removeIf(entry -> {
            var before = entry instanceof Noted(_, var scope, _) && scope.equals(noted.scope());
            if (before) values.putAll(((Noted) entry).values());
            return before;
        });
        values.putAll(noted.values());
        story.add(new Noted(noted.deployment(), noted.scope(), values));
    }

    /// Why nothing can be recorded; empty when all is well.
    public String trouble() {
        return journal.trouble();
    }

    /// How many records are not on the disk yet.
    public int waiting() {
        return journal.waiting();
    }

    /// The agent is about to stop: who waits for a disk that takes nothing is released.
    public void stopWaiting() {
        journal.stopWaiting();
    }

    public Path file() {
        return journal.path();
    }

    /// Many find at once that it has grown: the first of them writes it anew for all.
    private void compactOnce() {
        lock.writeLock().lock();
        try {
            if (journal.size() > compactAbove) {
                compact(_ -> false);
                compactAbove = journal.size() + COMPACT_ABOVE;
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /// Writes anew only what still matters: nothing may be appended between looking and writing.
    ///
    /// @param kept which stories are kept although they are over
    private void compact(Predicate<List<Entry>> kept) {
        lock.writeLock().lock();
        try {
            var live = new ArrayList<Entry>();
            synchronized (stories) {
                var lanes =
                        undelivered.values().stream()
                                .map(Queued::lane)
                                .collect(Collectors.toUnmodifiableSet());
                stories.entrySet()
                        .removeIf(story ->
                                ended(story.getValue())
                                        && !kept.test(story.getValue())
                                        && !lanes.contains(lane(story.getKey())));
                stories.values().forEach(live::addAll);
                live.addAll(undelivered.values());
                live.addAll(parked);
            }
            // Who asks how we do must not wait for the disk.
            journal.compact(live);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /// When the deployment succeeded, if that is what the entry tells.
    public static Optional<Instant> succeeded(Entry entry) {
        return entry instanceof Moved(_, DeploymentEvent.Ended(Outcome.Succeeded _), var at)
                ? Optional.of(at)
                : Optional.empty();
    }

    private static boolean succeeded(List<Entry> story) {
        return story.stream().anyMatch(entry -> succeeded(entry).isPresent());
    }

    private static boolean ended(List<Entry> story) {
        return story.stream().anyMatch(e -> e instanceof Moved(_, DeploymentEvent.Ended _, _));
    }

    @Override
    public void close() throws IOException {
        journal.close();
    }
}
