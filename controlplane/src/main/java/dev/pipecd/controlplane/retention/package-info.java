// SPDX-License-Identifier: Apache-2.0
/// How long what has ended is kept.
@NullMarked
package dev.pipecd.controlplane.retention;

import org.jspecify.annotations.NullMarked;
