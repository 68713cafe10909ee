// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.domain.ProjectId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// How much agents told of themselves through this server, by project. Together they have a limit:
/// of the project that told most, the oldest goes, so that none can crowd another out.
final class KeptStats {
    private static final long MOST = 32L << 20;

    private final Map<ProjectId, Told> projects = new HashMap<>();
    private long held;

    /// Answers the agents of which nothing is to be kept any more.
    synchronized List<String> keep(ProjectId project, String piped, int size) {
        var told = projects.computeIfAbsent(project, _ -> new Told());
        held += told.put(piped, size);
        var gone = new ArrayList<String>();
        while (held > MOST) {
            var most = largest();
            var oldest = most.sizes.firstEntry().getKey();
            held -= most.remove(oldest);
            gone.add(oldest);
        }
        return gone;
    }

    private Told largest() {
        var found = new Told();
        for (var told : projects.values()) if (told.sum > found.sum) found = told;
        return found;
    }

    synchronized void forget(String piped) {
        for (var told : projects.values()) held -= told.remove(piped);
    }

    private static final class Told {
        private final SequencedMap<String, Integer> sizes = new LinkedHashMap<>(16, 0.75f, true);
        private long sum;

        long put(String piped, int size) {
            var before = sizes.put(piped, size);
            var more = before == null ? size : size - before;
            sum += more;
            return more;
        }

        long remove(String piped) {
            var size = sizes.remove(piped);
            if (size == null) return 0;
            sum -= size;
            return size;
        }
    }
}
