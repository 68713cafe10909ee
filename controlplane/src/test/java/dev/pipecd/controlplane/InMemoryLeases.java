// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.ops.LeaseStore;
import java.util.HashMap;
import java.util.Map;

final class InMemoryLeases implements LeaseStore {
    private final Map<String, Hold> holds = new HashMap<>();

    @Override
    public synchronized Hold find(String name) {
        return holds.getOrDefault(name, Hold.NOBODYS);
    }

    @Override
    public synchronized boolean replace(String name, Hold seen, Hold next) {
        if (!find(name).equals(seen)) return false;
        holds.put(name, next);
        return true;
    }
}
