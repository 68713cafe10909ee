// SPDX-License-Identifier: Apache-2.0
/// The door agents come through: PipedService.
@NullMarked
package dev.pipecd.controlplane.agentapi;

import org.jspecify.annotations.NullMarked;
