// SPDX-License-Identifier: Apache-2.0
/// Flags that several commands share, and how their values are read.
@NullMarked
package dev.pipecd.cli.flag;

import org.jspecify.annotations.NullMarked;
