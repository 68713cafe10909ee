// SPDX-License-Identifier: Apache-2.0
/// Tests of `plan`.
@NullMarked
package dev.pipecd.agent.plan;

import org.jspecify.annotations.NullMarked;
