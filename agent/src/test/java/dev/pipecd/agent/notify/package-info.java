// SPDX-License-Identifier: Apache-2.0
/// Tests of `notify`.
@NullMarked
package dev.pipecd.agent.notify;

import org.jspecify.annotations.NullMarked;
