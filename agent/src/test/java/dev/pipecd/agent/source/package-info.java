// SPDX-License-Identifier: Apache-2.0
/// Git as the agent sees it, tried on real repositories.
@NullMarked
package dev.pipecd.agent.source;

import org.jspecify.annotations.NullMarked;
