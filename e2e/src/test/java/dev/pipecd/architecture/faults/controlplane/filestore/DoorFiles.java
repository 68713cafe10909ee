// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.controlplane.filestore;

import dev.pipecd.architecture.faults.controlplane.webapi.ReachingDoor;

/// Rule 5f: a store knows a door.
public record DoorFiles(ReachingDoor door) {}
