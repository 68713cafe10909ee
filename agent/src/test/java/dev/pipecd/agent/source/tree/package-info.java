// SPDX-License-Identifier: Apache-2.0
/// Tests of how places of a commit are found.
@NullMarked
package dev.pipecd.agent.source.tree;

import org.jspecify.annotations.NullMarked;
