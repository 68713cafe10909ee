// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.pipecd.controlplane.event;

import org.jspecify.annotations.NullMarked;
