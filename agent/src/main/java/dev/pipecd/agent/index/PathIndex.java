// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.index;

import dev.pipecd.agent.source.PathPatterns;
import dev.pipecd.domain.ApplicationId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// From a changed path to the applications it may concern: their directories are looked up, their
/// patterns tried only where one can match.
final class PathIndex {
    private final Map<String, List<ApplicationId>> places = new HashMap<>();
    private final Map<String, Map<String, Watched>> patterns = new HashMap<>();
    private final Map<ApplicationId, Reach> reaches = new HashMap<>();

    /// @param file where the application's file is said to be
    /// @param deployed the commit it was last deployed at, when it was compared
    /// @param places folders and files whose every change concerns the application
    /// @param patterns further files that do
    record Reach(String file, String deployed, List<String> places, List<String> patterns) {
        Reach {
            places = List.copyOf(places);
            patterns = patterns.stream().filter(PathPatterns::names).toList();
        }
    }

    void put(ApplicationId id, Reach reach) {
        remove(id);
        reaches.put(id, reach);
        for (var place : reach.places()) places.merge(place, List.of(id), PathIndex::both);
        for (var pattern : reach.patterns())
            patterns.computeIfAbsent(PathPatterns.below(pattern), _ -> new HashMap<>())
                    .merge(pattern, Watched.by(pattern, id), Watched::and);
    }

    void remove(ApplicationId id) {
        var reach = reaches.remove(id);
        if (reach == null) return;
        for (var place : reach.places())
            places.computeIfPresent(place, (_, ids) -> without(ids, id));
        for (var pattern : reach.patterns())
            patterns.computeIfPresent(
                    PathPatterns.below(pattern),
                    (_, watched) -> {
                        watched.computeIfPresent(pattern, (_, w) -> w.without(id));
                        return watched.isEmpty() ? null : watched;
                    });
    }

    /// Adds those that a change of the file may concern.
    void concerned(String path, Collection<ApplicationId> found) {
        for (var here = path; ; here = here.substring(0, Math.max(0, here.lastIndexOf('/')))) {
            found.addAll(places.getOrDefault(here, List.of()));
            for (var watched : patterns.getOrDefault(here, Map.of()).values())
                if (watched.pattern().match(path)) found.addAll(watched.ids());
            if (here.isEmpty()) return;
        }
    }

    Map<ApplicationId, Reach> all() {
        return Collections.unmodifiableMap(reaches);
    }

    private static List<ApplicationId> both(List<ApplicationId> some, List<ApplicationId> others) {
        var all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    @SuppressWarnings("NullAway") // a map's way to forget a key
    private static List<ApplicationId> without(List<ApplicationId> ids, ApplicationId id) {
        var left = ids.stream().filter(i -> !i.equals(id)).toList();
        return left.isEmpty() ? null : left;
    }

    private record Watched(PathPatterns pattern, List<ApplicationId> ids) {
        static Watched by(String pattern, ApplicationId id) {
            return new Watched(
                    new PathPatterns("trigger.onCommit.paths", List.of(pattern)), List.of(id));
        }

        Watched and(Watched other) {
            return new Watched(pattern, both(ids, other.ids));
        }

        @SuppressWarnings("NullAway") // a map's way to forget a key
        Watched without(ApplicationId id) {
            var left = PathIndex.without(ids, id);
            return left == null ? null : new Watched(pattern, left);
        }
    }
}
