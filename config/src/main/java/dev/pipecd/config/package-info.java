// SPDX-License-Identifier: Apache-2.0
/// The documents people write, as records, and what can be wrong with them; `config.read` makes
/// them from text.
@NullMarked
package dev.pipecd.config;

import org.jspecify.annotations.NullMarked;
