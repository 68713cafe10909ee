// SPDX-License-Identifier: Apache-2.0
/// Faults planted on purpose.
@NullMarked
package dev.pipecd.architecture.faults.cycle.two;

import org.jspecify.annotations.NullMarked;
