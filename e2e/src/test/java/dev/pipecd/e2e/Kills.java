// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The kills of one victim: each once, whichever of its moments is asked for first.
final class Kills {
    private final Installation at;
    private final String victim;
    private final Predicate<Moment> wanted;
    private final Consumer<List<KilledWalk>> kill;
    private final Map<Moment, KilledWalk> walks = new EnumMap<>(Moment.class);

    Kills(
            Installation at,
            String victim,
            Predicate<Moment> wanted,
            Consumer<List<KilledWalk>> kill) {
        this.at = at;
        this.victim = victim;
        this.wanted = wanted;
        this.kill = kill;
    }

    /// The walk that has seen the kill of that moment, and gone on to its end.
    KilledWalk at(Moment moment) {
        if (!walks.containsKey(moment)) killAt(moment.together().stream().filter(wanted).toList());
        return Objects.requireNonNull(walks.get(moment));
    }

    private void killAt(List<Moment> moments) {
        var together = new ArrayList<KilledWalk>();
        for (var moment : moments) {
            var walk = new KilledWalk(at, victim, moment);
            walks.put(moment, walk);
            together.add(walk);
            walk.reach();
        }
        together.forEach(KilledWalk::goOn);

        kill.accept(together);

        together.forEach(KilledWalk::approveUnlessDone);
        together.forEach(KilledWalk::awaitEnd);
    }
}
