// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.config;

import dev.pipecd.architecture.faults.wire.model.Entity;

/// Rule 3b: a document knows an entity message.
public record MessageConfig(Entity entity) {}
