// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.controlplane.webapi;

import dev.pipecd.architecture.faults.controlplane.store.Table;

/// Rule 5d: a door reaches a store past the features.
public record ReachingDoor(Table table) {}
