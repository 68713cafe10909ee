// SPDX-License-Identifier: Apache-2.0
/// Tests of how tools are installed.
@NullMarked
package dev.pipecd.agent.plugin.tool;

import org.jspecify.annotations.NullMarked;
