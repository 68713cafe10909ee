// SPDX-License-Identifier: Apache-2.0
/// Which versions of the agent there are, and what changed in them.
@NullMarked
package dev.pipecd.controlplane.release;

import org.jspecify.annotations.NullMarked;
