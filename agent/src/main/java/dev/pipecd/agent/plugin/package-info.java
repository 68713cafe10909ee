// SPDX-License-Identifier: Apache-2.0
/// Plugins: the supervised process they live in, and the calls both ways.
@NullMarked
package dev.pipecd.agent.plugin;

import org.jspecify.annotations.NullMarked;
