// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.command;

import dev.pipecd.domain.CommandId;
import dev.pipecd.wire.model.CommandStatus;
import java.util.Map;

/// How a command ended, as its agent tells it.
///
/// @param handledAt Unix seconds
/// @param output what it produced, or empty
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Answer(
        CommandId command,
        CommandStatus status,
        Map<String, String> metadata,
        long handledAt,
        byte[] output) {
    public Answer {
        metadata = Map.copyOf(metadata);
    }
}
