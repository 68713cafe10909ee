// SPDX-License-Identifier: Apache-2.0
/// The machine: its clock and threads, and other programs, each in a session of its own so that it
/// can be ended whole.
@NullMarked
package dev.pipecd.agent.process;

import org.jspecify.annotations.NullMarked;
