// SPDX-License-Identifier: Apache-2.0
/// What a plugin author writes and sees: stages, their options, what they may ask while they run,
/// how they end.
@NullMarked
package dev.pipecd.plugin.stage;

import org.jspecify.annotations.NullMarked;
