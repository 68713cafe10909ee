// SPDX-License-Identifier: Apache-2.0
/// Tests of `process`.
@NullMarked
package dev.pipecd.agent.process;

import org.jspecify.annotations.NullMarked;
