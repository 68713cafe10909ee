// SPDX-License-Identifier: Apache-2.0
/// Decides what a deployment does next. Pure: the same code runs live, after a restart and in
/// simulation.
@NullMarked
package dev.pipecd.domain.engine;

import org.jspecify.annotations.NullMarked;
