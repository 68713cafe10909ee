// SPDX-License-Identifier: Apache-2.0
/// The control plane, put together.
@NullMarked
package dev.pipecd.controlplane;

import org.jspecify.annotations.NullMarked;
