// SPDX-License-Identifier: Apache-2.0
/// Tests of the agent as a whole.
@NullMarked
package dev.pipecd.agent;

import org.jspecify.annotations.NullMarked;
