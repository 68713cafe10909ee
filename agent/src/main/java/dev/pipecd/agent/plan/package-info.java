// SPDX-License-Identifier: Apache-2.0
/// Turns a commit into stages: which plugins, which strategy, in which order.
@NullMarked
package dev.pipecd.agent.plan;

import org.jspecify.annotations.NullMarked;
