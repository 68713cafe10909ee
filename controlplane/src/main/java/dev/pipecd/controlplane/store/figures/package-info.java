// SPDX-License-Identifier: Apache-2.0
/// What the figures of deliveries are counted in and read from.
@NullMarked
package dev.pipecd.controlplane.store.figures;

import org.jspecify.annotations.NullMarked;
