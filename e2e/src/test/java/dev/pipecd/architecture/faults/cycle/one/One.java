// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.cycle.one;

import dev.pipecd.architecture.faults.cycle.two.Two;

/// Rule 5a: one needs two, two needs one.
public record One(Two two) {}
