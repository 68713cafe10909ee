// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.report.Marks;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.deployment.DeploymentState;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.domain.engine.Observation;
import java.util.Comparator;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/// One deployment of an application at a time: the first has its turn, the others wait behind it.
/// Only `Runs` changes it, with its lock.
final class Turns {
    /// Who has begun had its turn before, and has it still.
    static final Comparator<DeploymentRun> BEGUN_FIRST =
            Comparator.comparing(run -> run.state() instanceof DeploymentState.Pending);

    private final Map<ApplicationId, Deque<DeploymentRun>> waiting = new ConcurrentHashMap<>();

    /// Whether it is its turn at once.
    boolean join(DeploymentRun run) {
        var turn = waiting.computeIfAbsent(run.application(), _ -> new ConcurrentLinkedDeque<>());
        if (newestOnly(run)) turn.stream().skip(1).forEach(other -> supersede(other, run));
        turn.add(run);
        return turn.peek() == run;
    }

    /// Answers whose turn it is now, when that changes by it.
    Optional<DeploymentRun> leave(DeploymentRun run) {
        var turn = waiting.getOrDefault(run.application(), new ConcurrentLinkedDeque<>());
        var wasFirst = turn.peek() == run;
        turn.remove(run);
        if (turn.isEmpty()) waiting.remove(run.application());
        return wasFirst ? Optional.ofNullable(turn.peek()) : Optional.empty();
    }

    /// Whether how it ends is what is to be said of its application: no other has its turn there.
    /// Asked without the lock, since who asks must not wait for a disk.
    boolean speaks(DeploymentRun run) {
        return Optional.ofNullable(waiting.get(run.application()))
                .flatMap(turn -> Optional.ofNullable(turn.peek()))
                .map(first -> first == run)
                .orElse(true);
    }

    /// A chain's later deployments are older than they look, and the chain waits for each of them.
    private static boolean newestOnly(DeploymentRun run) {
        return !inLaterBlock(run) && Marks.of(run.sheet(), Marks.NEWEST_ONLY).isPresent();
    }

    private static void supersede(DeploymentRun waiting, DeploymentRun by) {
        if (inLaterBlock(waiting)) return;
        var commit = by.sheet().getTrigger().getCommit().getHash();
        waiting.see(
                new Observation.Withdrawn(
                        new Outcome.Superseded(
                                "deployment %s of commit %.8s"
                                        .formatted(by.id().brief(), commit))));
    }

    private static boolean inLaterBlock(DeploymentRun run) {
        return run.sheet().getDeploymentChainBlockIndex() > 0;
    }
}
