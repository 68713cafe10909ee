// SPDX-License-Identifier: Apache-2.0
/// Faults planted on purpose.
@NullMarked
package dev.pipecd.architecture.faults.domain;

import org.jspecify.annotations.NullMarked;
