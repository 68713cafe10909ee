// SPDX-License-Identifier: Apache-2.0
/// What only this agent can read: sealed secrets, opened into the source a plugin gets.
@NullMarked
package dev.pipecd.agent.secret;

import org.jspecify.annotations.NullMarked;
