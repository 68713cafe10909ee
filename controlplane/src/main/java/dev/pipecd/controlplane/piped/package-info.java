// SPDX-License-Identifier: Apache-2.0
/// Agents: their registration, keys and heartbeat.
@NullMarked
package dev.pipecd.controlplane.piped;

import org.jspecify.annotations.NullMarked;
