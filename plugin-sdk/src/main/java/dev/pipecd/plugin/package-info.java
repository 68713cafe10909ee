// SPDX-License-Identifier: Apache-2.0
/// Where a plugin starts: one line in its `main`.
@NullMarked
package dev.pipecd.plugin;

import org.jspecify.annotations.NullMarked;
