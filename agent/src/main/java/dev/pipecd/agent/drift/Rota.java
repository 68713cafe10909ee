// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import dev.pipecd.domain.ApplicationId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/// Whose turn it is to be looked at. Applications that come together are spread over the time
/// between two looks; one that is being looked at is not handed out again.
final class Rota {
    /// A small fleet is seen soon after the start.
    private static final Duration LONGEST_STEP = Duration.ofMillis(200);

    /// What was looked at so lately is not looked at again, whoever wants it.
    static final Duration FRESH = Duration.ofSeconds(5);

    private final Duration between;
    private final Map<ApplicationId, Turn> turns = new HashMap<>();
    private final PriorityQueue<Turn> queue = new PriorityQueue<>();
    private final Map<ApplicationId, Instant> away = new HashMap<>();
    private final Set<ApplicationId> wantedAgain = new HashSet<>();

    Rota(Duration between) {
        this.between = between;
    }

    /// From now on these and no others.
    void keep(Collection<ApplicationId> ids, Instant now) {
        var kept = new HashSet<>(ids);
        turns.keySet().removeIf(id -> !kept.contains(id));
        queue.removeIf(turn -> !kept.contains(turn.id));
        wantedAgain.retainAll(kept);
        // Who comes back and is no longer kept is not put down again.
        away.keySet().retainAll(kept);
        var fresh =
                ids.stream().filter(id -> !turns.containsKey(id) && !away.containsKey(id)).toList();
        if (fresh.isEmpty()) return;
        var even = between.dividedBy(fresh.size());
        var step = even.compareTo(LONGEST_STEP) < 0 ? even : LONGEST_STEP;
        var at = now;
        for (var id : fresh) {
            put(id, at, now);
            at = at.plus(step);
        }
    }

    /// Those whose turn has come; each is away until it is back.
    List<ApplicationId> take(Instant now) {
        var due = new ArrayList<ApplicationId>();
        for (var first = queue.peek();
                first != null && !first.at.isAfter(now);
                first = queue.peek()) {
            queue.remove();
            turns.remove(first.id);
            away.put(first.id, now);
            due.add(first.id);
        }
        return due;
    }

    /// It was looked at; somebody may have asked for one more look meanwhile.
    void back(ApplicationId id, Instant next, Instant now) {
        if (away.remove(id) == null) return;
        var soonest = now.plus(FRESH);
        put(id, wantedAgain.remove(id) ? soonest : next, soonest);
    }

    /// Somebody wants it to be looked at as soon as possible. A look that has just begun sees what
    /// there is; one that began long ago may have seen it before.
    void want(ApplicationId id, Instant now) {
        var began = away.get(id);
        if (began != null) {
            if (!now.isBefore(began.plus(FRESH))) wantedAgain.add(id);
            return;
        }
        var turn = turns.get(id);
        if (turn == null) return;
        var at = turn.soonest(now);
        if (!turn.at.isAfter(at)) return;
        queue.remove(turn);
        put(id, at, turn.soonest);
    }

    /// When the next turn comes; nothing while there is none to wait for.
    Optional<Instant> next() {
        return Optional.ofNullable(queue.peek()).map(Turn::at);
    }

    private void put(ApplicationId id, Instant at, Instant soonest) {
        var turn = new Turn(id, at, soonest);
        turns.put(id, turn);
        queue.add(turn);
    }

    /// @param soonest before which nobody gets it
    private record Turn(ApplicationId id, Instant at, Instant soonest) implements Comparable<Turn> {
        /// A clock that was put back must not keep it for longer than it is kept anyhow.
        Instant soonest(Instant now) {
            return now.isBefore(soonest) && soonest.isBefore(now.plus(FRESH)) ? soonest : now;
        }

        @Override
        public int compareTo(Turn other) {
            return at.compareTo(other.at);
        }
    }
}
