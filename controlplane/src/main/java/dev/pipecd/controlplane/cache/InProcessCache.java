// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// The cache of a server that is alone.
public final class InProcessCache implements Cache {
    private final Map<String, Map<String, String>> hashes = new ConcurrentHashMap<>();
    private final CacheReads reads;

    public InProcessCache() {
        this(new CacheReads());
    }

    InProcessCache(CacheReads reads) {
        this.reads = reads;
    }

    @Override
    public void put(String hash, String field, String value) {
        hashes.computeIfAbsent(hash, _ -> new ConcurrentHashMap<>()).put(field, value);
    }

    @Override
    public Map<String, String> all(String hash) {
        var found = Map.copyOf(hashes.getOrDefault(hash, Map.of()));
        reads.read(CacheReads.Source.INMEMORY, !found.isEmpty());
        return found;
    }

    @Override
    public Optional<String> get(String hash, String field) {
        var found = Optional.ofNullable(hashes.getOrDefault(hash, Map.of()).get(field));
        reads.read(CacheReads.Source.INMEMORY, found.isPresent());
        return found;
    }

    @Override
    public void remove(String hash, String field) {
        hashes.computeIfPresent(
                hash,
                (_, fields) -> {
                    fields.remove(field);
                    return fields;
                });
    }

    @Override
    public boolean answers() {
        return true;
    }

    @Override
    public CacheReads reads() {
        return reads;
    }

    /// There is nobody else.
    @Override
    public void tell(String message) {}

    @Override
    public void hear(Consumer<String> listener) {}

    @Override
    public void close() {}
}
