// SPDX-License-Identifier: Apache-2.0
/// Tests of `run`.
@NullMarked
package dev.pipecd.agent.run;

import org.jspecify.annotations.NullMarked;
