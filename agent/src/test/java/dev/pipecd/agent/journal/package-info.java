// SPDX-License-Identifier: Apache-2.0
/// Tests of `journal`.
@NullMarked
package dev.pipecd.agent.journal;

import org.jspecify.annotations.NullMarked;
