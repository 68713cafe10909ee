// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.wire.model.EventStatus;
import java.util.Optional;

/// Which events an agent wants to see.
///
/// @param from Unix seconds, inclusive
/// @param to Unix seconds, exclusive; not above 0 means no end
public record EventSpan(long from, long to, Optional<EventStatus> status, Order order) {
    /// By the time of creation.
    public enum Order {
        OLDEST_FIRST,
        NEWEST_FIRST
    }
}
