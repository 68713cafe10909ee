// SPDX-License-Identifier: Apache-2.0
/// The loop that looks at what really runs and how it compares with Git.
@NullMarked
package dev.pipecd.agent.drift;

import org.jspecify.annotations.NullMarked;
