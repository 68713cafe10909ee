// SPDX-License-Identifier: Apache-2.0
/// The control plane: the command that starts it and the one place where its parts are put
/// together.
@NullMarked
package dev.pipecd.controlplane;

import org.jspecify.annotations.NullMarked;
