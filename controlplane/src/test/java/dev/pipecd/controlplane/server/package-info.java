// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.pipecd.controlplane.server;

import org.jspecify.annotations.NullMarked;
