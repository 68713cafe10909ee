// SPDX-License-Identifier: Apache-2.0
/// Tests of the index.
@NullMarked
package dev.pipecd.agent.index;

import org.jspecify.annotations.NullMarked;
