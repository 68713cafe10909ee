// SPDX-License-Identifier: Apache-2.0
/// Tests that requests are refused exactly when their rules say so.
@NullMarked
package dev.pipecd.wire.rules;

import org.jspecify.annotations.NullMarked;
