// SPDX-License-Identifier: Apache-2.0
/// The plugin hand, tried on real host processes.
@NullMarked
package dev.pipecd.agent.plugin;

import org.jspecify.annotations.NullMarked;
