// SPDX-License-Identifier: Apache-2.0
/// What changed, in order: the append-only trail, and the hints that browsers and agents wait for.
@NullMarked
package dev.pipecd.controlplane.change;

import org.jspecify.annotations.NullMarked;
