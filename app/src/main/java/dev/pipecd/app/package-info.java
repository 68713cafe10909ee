// SPDX-License-Identifier: Apache-2.0
/// Where the programs of the distribution begin.
@NullMarked
package dev.pipecd.app;

import org.jspecify.annotations.NullMarked;
