// SPDX-License-Identifier: Apache-2.0
/// Which applications a change in a repository may concern, at the cost of the change.
@NullMarked
package dev.pipecd.agent.index;

import org.jspecify.annotations.NullMarked;
