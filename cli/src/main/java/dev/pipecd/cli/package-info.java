// SPDX-License-Identifier: Apache-2.0
/// The commands of pipectl: what people type, and the texts that help them.
@NullMarked
package dev.pipecd.cli;

import org.jspecify.annotations.NullMarked;
