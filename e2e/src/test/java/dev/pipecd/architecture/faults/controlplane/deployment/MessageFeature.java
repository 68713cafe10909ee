// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.controlplane.deployment;

import dev.pipecd.architecture.faults.wire.web.Message;

/// Rule 3a: a feature knows a service message.
public record MessageFeature(Message message) {}
