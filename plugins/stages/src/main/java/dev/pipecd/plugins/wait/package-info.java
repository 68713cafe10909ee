// SPDX-License-Identifier: Apache-2.0
/// WAIT: time to settle.
@NullMarked
package dev.pipecd.plugins.wait;

import org.jspecify.annotations.NullMarked;
