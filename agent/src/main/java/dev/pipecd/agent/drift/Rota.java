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

    private final Duration between;
    private final Map<ApplicationId, Turn> turns = new HashMap<>();
    private final PriorityQueue<Turn> queue = new PriorityQueue<>();
    private final Set<ApplicationId> away = new HashSet<>();
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
        away.retainAll(kept);
        var fresh =
                ids.stream().filter(id -> !turns.containsKey(id) && !away.contains(id)).toList();
        if (fresh.isEmpty()) return;
        var even = between.dividedBy(fresh.size());
        var step = even.compareTo(LONGEST_STEP) < 0 ? even : LONGEST_STEP;
        var at = now;
        for (var id : fresh) {
            put(id, at);
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
            away.add(first.id);
            due.add(first.id);
        }
        return due;
    }

    /// It was looked at; somebody may have asked for one more look meanwhile.
    void back(ApplicationId id, Instant next, Instant now) {
        if (!away.remove(id)) return;
        put(id, wantedAgain.remove(id) ? now : next);
    }

    /// Somebody wants it to be looked at as soon as possible.
    void want(ApplicationId id, Instant now) {
        if (away.contains(id)) {
            wantedAgain.add(id);
            return;
        }
        var turn = turns.get(id);
        if (turn == null || !turn.at.isAfter(now)) return;
        queue.remove(turn);
        put(id, now);
    }

    /// When the next turn comes; nothing while there is none to wait for.
    Optional<Instant> next() {
        return Optional.ofNullable(queue.peek()).map(Turn::at);
    }

    private void put(ApplicationId id, Instant at) {
        var turn = new Turn(id, at);
        turns.put(id, turn);
        queue.add(turn);
    }

    private record Turn(ApplicationId id, Instant at) implements Comparable<Turn> {
        @Override
        public int compareTo(Turn other) {
            return at.compareTo(other.at);
        }
    }
}
