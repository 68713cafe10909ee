// SPDX-License-Identifier: Apache-2.0
/// Tests of reading, each through the door.
@NullMarked
package dev.pipecd.config.read;

import org.jspecify.annotations.NullMarked;
