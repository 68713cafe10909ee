// SPDX-License-Identifier: Apache-2.0
/// The loop that writes what happened elsewhere, such as a new image, into Git.
@NullMarked
package dev.pipecd.agent.event;

import org.jspecify.annotations.NullMarked;
