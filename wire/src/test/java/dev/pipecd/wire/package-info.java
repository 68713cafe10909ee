// SPDX-License-Identifier: Apache-2.0
/// Tests that the protocol is still the public one.
@NullMarked
package dev.pipecd.wire;

import org.jspecify.annotations.NullMarked;
