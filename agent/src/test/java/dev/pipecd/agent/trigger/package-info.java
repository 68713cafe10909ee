// SPDX-License-Identifier: Apache-2.0
/// Tests of `trigger`.
@NullMarked
package dev.pipecd.agent.trigger;

import org.jspecify.annotations.NullMarked;
