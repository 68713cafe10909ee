// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import java.util.concurrent.atomic.LongAdder;

/// How often the cache was asked, and whether it knew: counted here, told by the metrics.
public final class CacheReads {
    private final LongAdder[][] counts = {
        {new LongAdder(), new LongAdder()}, {new LongAdder(), new LongAdder()}
    };

    void read(Source source, boolean known) {
        counts[source.ordinal()][known ? 1 : 0].increment();
    }

    public long count(Source source, boolean known) {
        return counts[source.ordinal()][known ? 1 : 0].sum();
    }

    /// Who answered.
    public enum Source {
        REDIS,
        INMEMORY
    }
}
