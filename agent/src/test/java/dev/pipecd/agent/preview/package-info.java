// SPDX-License-Identifier: Apache-2.0
/// Tests of `preview`.
@NullMarked
package dev.pipecd.agent.preview;

import org.jspecify.annotations.NullMarked;
