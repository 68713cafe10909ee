// SPDX-License-Identifier: Apache-2.0
/// Events carried into real Git repositories.
@NullMarked
package dev.pipecd.agent.event;

import org.jspecify.annotations.NullMarked;
