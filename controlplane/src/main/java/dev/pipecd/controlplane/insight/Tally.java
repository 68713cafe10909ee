// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import dev.pipecd.controlplane.insight.Day.Sums;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// By how much the sums of days change, gathered while deliveries are counted.
public final class Tally {
    private static final long DAY = 86_400;

    /// Always in the same order, so that two who write them do not wait for each other.
    private final SortedMap<Place, Sums> sums = new TreeMap<>();

    /// @param completedAt Unix seconds
    public void add(String project, Map<String, String> labels, long completedAt, Sums delivery) {
        for (var scope : Scope.of(project, labels))
            sums.merge(new Place(scope, completedAt / DAY), delivery, Sums::plus);
    }

    /// Without those that stay as they are.
    public Map<Place, Sums> changes() {
        sums.values().removeIf(Sums.NONE::equals);
        return sums;
    }

    /// @param day since 1970
    public record Place(Scope scope, long day) implements Comparable<Place> {
        private static final Comparator<Place> ORDER =
                Comparator.comparing((Place p) -> p.scope().digest()).thenComparingLong(Place::day);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }
}
