// SPDX-License-Identifier: Apache-2.0
/// Other programs, each in a session of its own so that it can be ended whole.
@NullMarked
package dev.pipecd.agent.process;

import org.jspecify.annotations.NullMarked;
