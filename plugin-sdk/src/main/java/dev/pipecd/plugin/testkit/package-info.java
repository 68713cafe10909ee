// SPDX-License-Identifier: Apache-2.0
/// Runs a stage without an agent: a clock that jumps, and everything the stage did written down.
@NullMarked
package dev.pipecd.plugin.testkit;

import org.jspecify.annotations.NullMarked;
