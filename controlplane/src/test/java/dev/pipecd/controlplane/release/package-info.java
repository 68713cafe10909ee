// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.pipecd.controlplane.release;

import org.jspecify.annotations.NullMarked;
