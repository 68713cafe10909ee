// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.agent.source;

import dev.pipecd.architecture.faults.agent.trigger.CallsRun;

/// Rule 5c: a hand knows a loop.
public record CallsTrigger(CallsRun loop) {}
