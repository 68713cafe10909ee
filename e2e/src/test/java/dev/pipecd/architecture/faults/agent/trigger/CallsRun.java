// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.agent.trigger;

import dev.pipecd.architecture.faults.agent.run.OwnClock;

/// Rule 5b: a loop calls another.
public record CallsRun(OwnClock other) {}
