// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

final class InProcessCacheTest implements CacheContract {
    private final Cache cache = new InProcessCache();

    @Override
    public Cache cache() {
        return cache;
    }
}
