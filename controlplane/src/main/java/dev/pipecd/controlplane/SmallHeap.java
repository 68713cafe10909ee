// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import javax.management.NotificationEmitter;

/// Cleans the old part of the heap whenever it has grown by a third. The serial collector does so
/// only at the cap: under load a server would come to hold all it may, whatever little of it is in
/// use.
final class SmallHeap {
    /// As the serial collector calls it. Others look after theirs by themselves.
    private static final String OLD_PART = "Tenured Gen";

    /// With little in use it is not worth a pause.
    private static final long LEAST_GROWTH = 8L << 20;

    private SmallHeap() {}

    static void keep() {
        for (var pool : ManagementFactory.getMemoryPoolMXBeans())
            if (pool.getName().equals(OLD_PART)) keep(pool);
    }

    private static void keep(MemoryPoolMXBean old) {
        var memory = (NotificationEmitter) ManagementFactory.getMemoryMXBean();
        memory.addNotificationListener(
                (_, _) -> clean(old),
                told -> told.getType().equals(MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED),
                null);
        cleanNextAfter(old, old.getUsage().getUsed());
    }

    private static void clean(MemoryPoolMXBean old) {
        System.gc();
        cleanNextAfter(old, old.getCollectionUsage().getUsed());
    }

    private static void cleanNextAfter(MemoryPoolMXBean old, long used) {
        old.setUsageThreshold(limit(used, old.getUsage().getMax()));
    }

    /// How large it may become. Near the cap the collector cleans it in any case; and what is in
    /// use there already must not have it cleaned all the time.
    static long limit(long used, long most) {
        var nearTheCap = Math.max(most / 20 * 19, Math.min(used + LEAST_GROWTH, most / 100 * 99));
        return Math.min(used + Math.max(used / 3, LEAST_GROWTH), nearTheCap);
    }
}
