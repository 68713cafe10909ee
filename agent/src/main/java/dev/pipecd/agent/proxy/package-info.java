// SPDX-License-Identifier: Apache-2.0
/// The way out of the agent's network, as its environment names it.
@NullMarked
package dev.pipecd.agent.proxy;

import org.jspecify.annotations.NullMarked;
