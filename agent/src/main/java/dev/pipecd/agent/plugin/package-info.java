// SPDX-License-Identifier: Apache-2.0
/// Plugins: what the agent asks of them, and who owns which stage.
@NullMarked
package dev.pipecd.agent.plugin;

import org.jspecify.annotations.NullMarked;
