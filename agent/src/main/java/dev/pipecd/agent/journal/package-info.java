// SPDX-License-Identifier: Apache-2.0
/// The agent's memory that survives `kill -9`: what was decided, before it is done.
@NullMarked
package dev.pipecd.agent.journal;

import org.jspecify.annotations.NullMarked;
