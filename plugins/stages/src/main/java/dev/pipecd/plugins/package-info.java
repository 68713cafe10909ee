// SPDX-License-Identifier: Apache-2.0
/// The process that serves the built-in stages.
@NullMarked
package dev.pipecd.plugins;

import org.jspecify.annotations.NullMarked;
