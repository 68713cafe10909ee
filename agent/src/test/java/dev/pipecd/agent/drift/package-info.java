// SPDX-License-Identifier: Apache-2.0
/// Tests of `drift`.
@NullMarked
package dev.pipecd.agent.drift;

import org.jspecify.annotations.NullMarked;
