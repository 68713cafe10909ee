// SPDX-License-Identifier: Apache-2.0
/// Tests of `suggest`.
@NullMarked
package dev.pipecd.agent.suggest;

import org.jspecify.annotations.NullMarked;
