// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Facts that are known again in a minute, and hints between the servers of one installation. No
/// truth lives only here: whatever fails is told in the log once, costs time, and throws nothing.
/// Every implementation passes `CacheContract`.
public interface Cache extends AutoCloseable {
    void put(String hash, String field, String value);

    /// All fields of a hash; of a cache that cannot be reached, those put by this process.
    Map<String, String> all(String hash);

    /// The names of its fields, where what they hold would be too much.
    default Set<String> fields(String hash) {
        return all(hash).keySet();
    }

    /// One field, where all would be too much.
    default Optional<String> get(String hash, String field) {
        return Optional.ofNullable(all(hash).get(field));
    }

    void remove(String hash, String field);

    /// Takes out keys that the public server may have left there; does not wait.
    default void drop(List<String> keys) {}

    /// Whether what the others put was known at the last question.
    boolean answers();

    CacheReads reads();

    /// Tells the other servers, now or never; does not wait.
    void tell(String message);

    /// Hears what the other servers tell; must not block.
    void hear(Consumer<String> listener);

    @Override
    void close();
}
