// SPDX-License-Identifier: Apache-2.0
/// The loop that tells what a change would do before it is merged.
@NullMarked
package dev.pipecd.agent.preview;

import org.jspecify.annotations.NullMarked;
