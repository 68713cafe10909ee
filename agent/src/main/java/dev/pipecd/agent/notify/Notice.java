// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import java.time.Instant;

/// An event on its way to one or more receivers.
///
/// @param id the same in each attempt, so that a receiver can tell a repetition
record Notice(String id, Event event, Instant at) {}
