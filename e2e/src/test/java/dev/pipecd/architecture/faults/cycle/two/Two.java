// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.cycle.two;

import dev.pipecd.architecture.faults.cycle.one.One;
import java.util.List;

/// Rule 5a: two needs one, one needs two.
public record Two(List<One> ones) {}
