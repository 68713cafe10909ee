// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.agent.journal.Pages;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentEvent.StageMoved;
import dev.pipecd.domain.deployment.StageEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// A disk that survives the agent: it crashes the agent after chosen records, and forgets what it
/// was not asked to keep for sure.
final class SimulatedPages implements Pages, SimulatedStages.Recorded {
    private final RandomGenerator random;
    private final List<Integer> crashAfter;
    private final Optional<KilledJournal> journal;
    private final List<Entry> entries = new ArrayList<>();
    private final List<Entry> later = new ArrayList<>();
    private final SimulatedMachine machine;

    /// All that was ever recorded for sure.
    final List<Entry> history = new ArrayList<>();

    int records;

    /// It takes nothing until there is room again.
    boolean full;

    /// @param machine where the agent runs that writes here
    /// @param journal what is written is read from there again, where there is one
    SimulatedPages(
            SimulatedMachine machine,
            RandomGenerator random,
            List<Integer> crashAfter,
            Optional<KilledJournal> journal) {
        this.machine = machine;
        this.random = random;
        this.journal = journal;
        this.crashAfter = new ArrayList<>(crashAfter);
    }

    @Override
    public boolean started(StageId stage) {
        return any(e -> e instanceof StageMoved(var id, StageEvent.Started _) && id.equals(stage));
    }

    @Override
    public boolean ended(StageId stage) {
        return any(e -> e instanceof StageMoved(var id, StageEvent.Ended _) && id.equals(stage));
    }

    @Override
    public boolean ended(DeploymentId deployment) {
        return history.stream()
                .anyMatch(e ->
                        e instanceof Moved(var id, DeploymentEvent.Ended _, _)
                                && id.equals(deployment));
    }

    private boolean any(Predicate<DeploymentEvent> recorded) {
        return history.stream()
                .anyMatch(e -> e instanceof Moved(_, var event, _) && recorded.test(event));
    }

    @Override
    public List<Entry> found() {
        if (journal.isEmpty()) return List.copyOf(entries);
        var read = journal.get().found();
        if (read.size() != entries.size())
            throw new IllegalStateException(
                    "%d of %d entries are in the journal".formatted(read.size(), entries.size()));
        return read;
    }

    @Override
    public void append(List<Entry> added) {
        if (machine.gone()) throw machine.crash();
        machine.stall(() -> !full);
        records++;
        var crash = crashAfter.remove((Integer) records);
        // It dies before the disk has it, or after that and before anybody hears of it.
        if (crash && random.nextInt(4) == 0) throw machine.crash();
        keepLater();
        keep(added);
        history.addAll(added);
        if (crash) throw machine.crash();
    }

    @Override
    public void appendLater(Entry entry) {
        later.add(entry);
    }

    private void keepLater() {
        if (!later.isEmpty()) keep(List.copyOf(later));
        later.clear();
    }

    private void keep(List<Entry> added) {
        entries.addAll(added);
        journal.ifPresent(file -> file.append(added));
    }

    void crashed() {
        if (random.nextBoolean()) keepLater();
        later.clear();
        journal.ifPresent(file -> file.kill(random));
    }

    void lose() {
        entries.clear();
        later.clear();
        journal.ifPresent(KilledJournal::lose);
    }

    @Override
    public void compact(List<Entry> live) {
        keepLater();
        entries.clear();
        entries.addAll(live);
        journal.ifPresent(file -> file.compact(live));
    }

    @Override
    public Path path() {
        return Path.of("journal");
    }

    @Override
    public long size() {
        return entries.size();
    }

    @Override
    public String trouble() {
        return "";
    }

    @Override
    public int waiting() {
        return 0;
    }

    @Override
    public void stopWaiting() {}

    @Override
    public void close() {
        keepLater();
        journal.ifPresent(KilledJournal::reopen);
    }
}
