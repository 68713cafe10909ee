// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.pipecd.controlplane.http;

import org.jspecify.annotations.NullMarked;
