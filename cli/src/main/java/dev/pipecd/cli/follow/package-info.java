// SPDX-License-Identifier: Apache-2.0
/// Waits for what happens elsewhere, tells it while it happens, and knows when it is over.
@NullMarked
package dev.pipecd.cli.follow;

import org.jspecify.annotations.NullMarked;
